#include "analysis/diagnosis/verdicts/verdict_kinds.h"

#include <cstddef>

namespace traced {
namespace {

constexpr char kOtherCall[] = "COLLECTIVE_TYPE_MISMATCH";
constexpr char kOtherArguments[] = "SIZE_OR_SYNTAX_MISMATCH";

constexpr VerdictTraits kTraits[] = {
    {.kind = VerdictKind::kSharedGroupName,
     .name = "shared_group_name",
     .about_wiring = true},
    {.kind = VerdictKind::kEndedUnjoined,
     .name = "ended_unjoined",
     .about_wiring = true},
    {.kind = VerdictKind::kDeadlock,
     .name = "deadlock",
     .is_stuck = true,
     .may_be_over = true,
     .explains_failures = true},
    {.kind = VerdictKind::kOrderMismatch,
     .name = "order_mismatch",
     .stock_name = kOtherCall,
     .explains_failures = true},
    {.kind = VerdictKind::kOpMismatch,
     .name = "op_mismatch",
     .stock_name = kOtherCall,
     .explains_failures = true},
    {.kind = VerdictKind::kSizeMismatch,
     .name = "size_mismatch",
     .stock_name = kOtherArguments,
     .explains_failures = true},
    {.kind = VerdictKind::kDtypeMismatch,
     .name = "dtype_mismatch",
     .stock_name = "COLLECTIVE_DTYPE_MISMATCH",
     .explains_failures = true},
    {.kind = VerdictKind::kReduceOpMismatch,
     .name = "reduce_op_mismatch",
     .stock_name = kOtherArguments,
     .explains_failures = true},
    {.kind = VerdictKind::kRootMismatch,
     .name = "root_mismatch",
     .stock_name = kOtherArguments,
     .explains_failures = true},
    {.kind = VerdictKind::kSplitMismatch,
     .name = "split_mismatch",
     .stock_name = kOtherArguments,
     .explains_failures = true},
    {.kind = VerdictKind::kLeftEarly,
     .name = "left_early",
     .is_stuck = true,
     .explains_failures = true},
    {.kind = VerdictKind::kNeverJoined,
     .name = "never_joined",
     .is_stuck = true,
     .may_be_over = true,
     .explains_failures = true},
    {.kind = VerdictKind::kP2pUnpaired,
     .name = "p2p_unpaired",
     .is_stuck = true,
     .may_be_over = true,
     .explains_failures = true},
    {.kind = VerdictKind::kHungIn,
     .name = "hung_in",
     .is_stuck = true,
     .may_be_over = true,
     .explains_failures = true},
    {.kind = VerdictKind::kFailed,
     .name = "failed",
     .is_stuck = true,
     .explains_failures = true},
    {.kind = VerdictKind::kProcessFailed,
     .name = "process_failed",
     .explains_failures = true,
     .of_one_rank = true},
    {.kind = VerdictKind::kAborted, .name = "aborted", .is_stuck = true},
    {.kind = VerdictKind::kNeverWaited,
     .name = "never_waited",
     .strongest = {Confidence::kCertain, Confidence::kCertain},
     .of_one_rank = true},
    {.kind = VerdictKind::kBufferOverlap,
     .name = "buffer_overlap",
     .strongest = {Confidence::kLikely, Confidence::kCertain},
     .of_one_rank = true},
    {.kind = VerdictKind::kUnsynchronisedGradients,
     .name = "unsynchronised_gradients",
     .strongest = {Confidence::kLikely, Confidence::kUndecided}},
    {.kind = VerdictKind::kBufferChanged,
     .name = "buffer_changed",
     .of_one_rank = true},
    {.kind = VerdictKind::kCorruptedTransfer, .name = "corrupted_transfer"},
    {.kind = VerdictKind::kNanOrigin, .name = "nan_origin"},
    {.kind = VerdictKind::kOverflowRisk, .name = "overflow_risk"},
    {.kind = VerdictKind::kReplicasDiverged, .name = "replicas_diverged"},
    {.kind = VerdictKind::kSlowPeer,
     .name = "slow_peer",
     .strongest = {Confidence::kLikely, Confidence::kLikely},
     .of_times = true},
    {.kind = VerdictKind::kStraggler,
     .name = "straggler",
     .strongest = {Confidence::kLikely, Confidence::kLikely},
     .of_times = true},
    {.kind = VerdictKind::kLate, .name = "late"},
    {.kind = VerdictKind::kUndecided,
     .name = "undecided",
     .stock_name = "UNDECIDED",
     .strongest = {Confidence::kUndecided, Confidence::kUndecided},
     .is_stuck = true,
     .may_be_over = true},
};

constexpr bool isInOrder() {
  std::size_t index = 0;
  for (const VerdictTraits& traits : kTraits) {
    if (static_cast<std::size_t>(traits.kind) != index++) return false;
  }
  return index == static_cast<std::size_t>(VerdictKind::kUndecided) + 1;
}
static_assert(isInOrder());

}  // namespace

const VerdictTraits& traitsOf(VerdictKind kind) {
  return kTraits[static_cast<std::size_t>(kind)];
}

const char* nameOf(Confidence confidence) {
  switch (confidence) {
    case Confidence::kCertain:
      return "certain";
    case Confidence::kLikely:
      return "likely";
    case Confidence::kUndecided:
      return "undecided";
  }
  return "undecided";
}

}  // namespace traced
