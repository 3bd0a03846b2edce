#include "cli/common/action_json.h"

#include "phrasing/action_text.h"

namespace traced {

Json actionJson(const RecommendedAction& action) {
  return {{"action", nameOf(action.action())},
          {"confidence", nameOf(action.confidence)},
          {"ranks", action.ranks},
          {"hosts", action.hosts},
          {"pids", action.pids},
          {"rule", traitsOf(action.rule).name},
          {"why", whyText(action.rule)}};
}

}  // namespace traced
