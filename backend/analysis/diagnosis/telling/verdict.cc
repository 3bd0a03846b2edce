#include "analysis/diagnosis/telling/verdict.h"

namespace traced {

const char* nameOf(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kDeadlock:
      return "deadlock";
    case VerdictKind::kOrderMismatch:
      return "order_mismatch";
    case VerdictKind::kOpMismatch:
      return "op_mismatch";
    case VerdictKind::kSizeMismatch:
      return "size_mismatch";
    case VerdictKind::kDtypeMismatch:
      return "dtype_mismatch";
    case VerdictKind::kReduceOpMismatch:
      return "reduce_op_mismatch";
    case VerdictKind::kRootMismatch:
      return "root_mismatch";
    case VerdictKind::kSplitMismatch:
      return "split_mismatch";
    case VerdictKind::kLeftEarly:
      return "left_early";
    case VerdictKind::kNeverJoined:
      return "never_joined";
    case VerdictKind::kP2pUnpaired:
      return "p2p_unpaired";
    case VerdictKind::kHungIn:
      return "hung_in";
    case VerdictKind::kFailed:
      return "failed";
    case VerdictKind::kProcessFailed:
      return "process_failed";
    case VerdictKind::kAborted:
      return "aborted";
    case VerdictKind::kNeverWaited:
      return "never_waited";
    case VerdictKind::kBufferOverlap:
      return "buffer_overlap";
    case VerdictKind::kSlowPeer:
      return "slow_peer";
    case VerdictKind::kStraggler:
      return "straggler";
    case VerdictKind::kLate:
      return "late";
    case VerdictKind::kUndecided:
      return "undecided";
  }
  return "undecided";
}

Certainty strongestOf(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kNeverWaited:
      return {Confidence::kCertain, Confidence::kCertain};
    case VerdictKind::kBufferOverlap:
      return {Confidence::kLikely, Confidence::kCertain};
    case VerdictKind::kStraggler:
    case VerdictKind::kSlowPeer:
      return {Confidence::kLikely, Confidence::kLikely};
    case VerdictKind::kUndecided:
      return {Confidence::kUndecided, Confidence::kUndecided};
    default:
      return {};
  }
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
