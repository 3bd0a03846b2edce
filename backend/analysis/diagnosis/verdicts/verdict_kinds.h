// The kinds of verdicts: one table of all that depends on the kind alone.
// docs/reference/diagnosis.md explains each of them.

#pragma once

#include <cstdint>

namespace traced {

// In the order in which they are told.
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
  kSlowPeer,
  kStraggler,
  kLate,
  kUndecided,
};

// From the strongest to the weakest.
enum class Confidence : std::uint8_t {
  // No run of the program could have left these records and contradict it.
  kCertain,
  // The records speak for it, and another explanation is left.
  kLikely,
  // It cannot be known; what is missing is said.
  kUndecided,
};

const char* nameOf(Confidence confidence);

// What a kind of verdict can prove at most: of what is wrong, and of who did
// it. docs/reference/diagnosis.md, "How sure it is", says why.
struct Certainty {
  Confidence finding = Confidence::kCertain;
  Confidence culprit = Confidence::kLikely;
};

// What follows from a kind.
struct VerdictTraits {
  VerdictKind kind;
  // "order_mismatch", as the JSON has it.
  const char* name;
  // What the stock analyzer (torchfrtrace) calls a finding of this kind, the
  // nearest of its six names.
  const char* stock_name = "COLLECTIVE_STATE_MISMATCH";
  Certainty strongest{};
  // Somebody stands still.
  bool stands_still = false;
  // While the job runs, it may pass: it is looked for again.
  bool may_be_over = false;
  // Processes may have failed because of it.
  bool explains_failures = false;
  // The records of one rank alone prove it.
  bool of_one_rank = false;
  // Groups may not connect the ranks that they name.
  bool about_wiring = false;
  // About how long many operations took.
  bool of_times = false;
};

const VerdictTraits& traitsOf(VerdictKind kind);

inline const char* nameOf(VerdictKind kind) { return traitsOf(kind).name; }
inline Certainty strongestOf(VerdictKind kind) {
  return traitsOf(kind).strongest;
}

}  // namespace traced
