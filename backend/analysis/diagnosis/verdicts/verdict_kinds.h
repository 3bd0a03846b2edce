// The kinds of verdicts, and a table of everything that depends on the kind
// alone. docs/reference/diagnosis.md explains each kind.

#pragma once

#include <cstdint>

namespace traced {

// In the order in which verdicts are reported.
enum class VerdictKind : std::uint8_t {
  kSharedGroupName,
  kEndedUnjoined,
  kDeadlock,
  kOrderMismatch,
  kOpMismatch,
  kSizeMismatch,
  kDtypeMismatch,
  kReduceOpMismatch,
  kRootMismatch,
  kSplitMismatch,
  kLeftEarly,
  kNeverJoined,
  kP2pUnpaired,
  kHungIn,
  kFailed,
  kProcessFailed,
  kAborted,
  kNeverWaited,
  kBufferOverlap,
  kUnsynchronisedGradients,
  kBufferChanged,
  kCorruptedTransfer,
  kNanOrigin,
  kOverflowRisk,
  kReplicasDiverged,
  kSlowPeer,
  kStraggler,
  kLate,
  kUndecided,
};

// From strongest to weakest.
enum class Confidence : std::uint8_t {
  // Any run of the program that leaves these records agrees with it.
  kCertain,
  // The records support it, but another explanation is possible.
  kLikely,
  // It cannot be known. The verdict names what is missing.
  kUndecided,
};

const char* nameOf(Confidence confidence);

// The strongest certainty that a kind can prove: of the finding, and of the
// culprits. See docs/reference/diagnosis.md, "How sure it is".
struct Certainty {
  Confidence finding = Confidence::kCertain;
  Confidence culprit = Confidence::kLikely;
};

// Properties of a kind.
struct VerdictTraits {
  VerdictKind kind;
  // The name in JSON, for example "order_mismatch".
  const char* name;
  // The nearest of the six names that PyTorch's own analyzer (torchfrtrace)
  // uses.
  const char* stock_name = "COLLECTIVE_STATE_MISMATCH";
  Certainty strongest{};
  // Some ranks are stuck.
  bool is_stuck = false;
  // It may pass while the job runs, so it is checked again.
  bool may_be_over = false;
  // It may have caused processes to fail.
  bool explains_failures = false;
  // The records of one rank alone prove it.
  bool of_one_rank = false;
  // Groups may not connect the ranks that they name.
  bool about_wiring = false;
  // It concerns the durations of many operations.
  bool of_times = false;
};

const VerdictTraits& traitsOf(VerdictKind kind);

inline const char* nameOf(VerdictKind kind) { return traitsOf(kind).name; }
inline Certainty strongestOf(VerdictKind kind) {
  return traitsOf(kind).strongest;
}

}  // namespace traced
