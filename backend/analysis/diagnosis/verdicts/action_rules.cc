#include "analysis/diagnosis/verdicts/action_rules.h"

#include <cstddef>

namespace traced {
namespace {

constexpr Action kActsFix = Action::kFixProgram;
constexpr Action kActsRestart = Action::kRestart;
constexpr Confidence kAtMostLikely = Confidence::kLikely;
constexpr Confidence kAtMostUndecided = Confidence::kUndecided;

constexpr ActionTraits kActionTraits[] = {
    {ActionRule::kGroupsDiffer, "groups_differ", kActsFix},
    {ActionRule::kCallCycle, "call_cycle", kActsFix},
    {ActionRule::kCallsDiffer, "calls_differ", kActsFix},
    {ActionRule::kArgumentsDiffer, "arguments_differ", kActsFix},
    {ActionRule::kMessagesDiffer, "messages_differ", kActsFix},
    {ActionRule::kCallOrder, "call_order", kActsFix, kAtMostLikely},
    {ActionRule::kEndedInOrder, "ended_in_order", kActsFix},
    // Its cause may have been outside, such as a full disk.
    {ActionRule::kException, "exception", kActsFix, kAtMostLikely},
    {ActionRule::kExitCode, "exit_code", kActsFix, kAtMostLikely},
    {ActionRule::kCallThrew, "call_threw", kActsFix, kAtMostLikely},
    {ActionRule::kNeverWaited, "never_waited", kActsFix},
    {ActionRule::kBufferInUse, "buffer_in_use", kActsFix},
    {ActionRule::kGradientsApart, "gradients_apart", kActsFix, kAtMostLikely},
    {ActionRule::kAbsentRank, "absent_rank", kActsRestart},
    {ActionRule::kHungTogether, "hung_together", kActsRestart},
    {ActionRule::kOperationFailed, "operation_failed", kActsRestart,
     kAtMostLikely},
    {ActionRule::kKilled, "killed", kActsRestart},
    {ActionRule::kOutOfMemory, "out_of_memory", kActsRestart},
    {ActionRule::kCrashed, "crashed", kActsRestart, kAtMostLikely},
    {ActionRule::kDied, "died", kActsRestart},
    {ActionRule::kHardwareError, "hardware_error", Action::kReplaceHost},
    {ActionRule::kHealthy, "healthy"},
    {ActionRule::kEndUnknown, "end_unknown", Action::kNone, kAtMostUndecided},
    {ActionRule::kUndecided, "undecided", Action::kNone, kAtMostUndecided},
    {ActionRule::kEndedFromOutside, "ended_from_outside"},
    {ActionRule::kProgramAborted, "program_aborted"},
    {ActionRule::kDataChanged, "data_changed"},
    {ActionRule::kNanComputed, "nan_computed"},
    {ActionRule::kRangeTooSmall, "range_too_small"},
    {ActionRule::kCopiesDiffer, "copies_differ"},
    {ActionRule::kSlowLink, "slow_link"},
    {ActionRule::kSlowRank, "slow_rank"},
    {ActionRule::kLateOnce, "late_once"},
    {ActionRule::kOnlyObserved, "only_observed", Action::kNone,
     kAtMostUndecided},
};

constexpr bool areRulesInOrder() {
  std::size_t index = 0;
  for (const ActionTraits& traits : kActionTraits) {
    if (static_cast<std::size_t>(traits.rule) != index++) return false;
  }
  return index == static_cast<std::size_t>(ActionRule::kOnlyObserved) + 1;
}
static_assert(areRulesInOrder());

}  // namespace

const ActionTraits& traitsOf(ActionRule rule) {
  return kActionTraits[static_cast<std::size_t>(rule)];
}

const char* nameOf(Action action) {
  switch (action) {
    case Action::kNone:
      return "none";
    case Action::kRestart:
      return "restart";
    case Action::kReplaceHost:
      return "replace_host";
    case Action::kFixProgram:
      return "fix_program";
  }
  return "none";
}

}  // namespace traced
