#include "analysis/history/following.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace traced {
namespace {

// Of one key, by part: nullptr of what is not worse.
using WorseParts = std::array<JudgedSeries*, kRunParts>;

void followInKey(WorseParts& worse) {
  const auto of = [&worse](RunPart part) {
    return worse[static_cast<std::size_t>(part)];
  };
  const JudgedSeries* calls = of(RunPart::kCalls);
  if (JudgedSeries* bytes = of(RunPart::kBytes); bytes && calls) {
    bytes->follows = std::abs(bytes->ratio() / calls->ratio() - 1) < 1e-9;
  }
  if (JudgedSeries* exposed = of(RunPart::kExposed)) {
    exposed->follows = of(RunPart::kTransfer) || of(RunPart::kWaitForPeers);
  }
}

}  // namespace

void tellFollowing(const History& history, std::vector<JudgedSeries>& series) {
  std::vector<WorseParts> worse(history.keys.size());
  bool some = false;
  for (JudgedSeries& judged : series) {
    if (judged.kind != ChangeKind::kWorse) continue;
    const std::size_t key = judged.series.key;
    worse[key][static_cast<std::size_t>(judged.series.part)] = &judged;
    some |= history.keys[key].key.has_value();
  }
  for (WorseParts& parts : worse) followInKey(parts);
  for (JudgedSeries& judged : series) {
    if (history.keys[judged.series.key].key) continue;
    if (judged.kind == ChangeKind::kWorse ||
        judged.kind == ChangeKind::kOther) {
      judged.follows |= some;
    }
  }
}

}  // namespace traced
