// What the end of an operation, as it was observed, says of when it was over.

#pragma once

#include "analysis/stream/assembled_operation.h"

namespace traced {

enum class EndBound : std::uint8_t {
  // It was over at that instant.
  kExact,
  // It was over by then. Who waited for it was woken first: what told us of it
  // comes soon after, but on a busy machine it waits for a processor.
  kReported,
  // It was over by then, when somebody looked: it may have been long before.
  kSeen,
};

// Of one whose end is known.
inline EndBound endBoundOf(const AssembledOperation& op) {
  // A stream that was not held up for longer than that came past the wait
  // without it (docs/use/nccl.md).
  constexpr std::uint64_t kHeldUpNs = 10'000;
  switch (op.end_source) {
    case v1::END_SOURCE_HOST_CALL:
    case v1::END_SOURCE_DEVICE_EVENT:
      return EndBound::kExact;
    case v1::END_SOURCE_FUTURE:
      return EndBound::kReported;
    case v1::END_SOURCE_DEVICE_WAIT:
      return op.stall_ns_plus_1 > kHeldUpNs + 1 ? EndBound::kExact
                                                : EndBound::kSeen;
    default:
      return EndBound::kSeen;
  }
}

inline bool isLateBound(const AssembledOperation& op) {
  return endBoundOf(op) != EndBound::kExact;
}

// From when on its end would have been seen at once. It was over at the instant
// that is recorded, or, as far as that tells, at any time before this one.
// Unknown where that is recorded is exact.
// A wait that went on until the end was told held the caller up until then.
inline Instant watchedSince(const AssembledOperation& op) {
  if (!isLateBound(op)) return {};
  const bool by_wait =
      op.end_source == v1::END_SOURCE_WAIT ||
      (op.end_source == v1::END_SOURCE_FUTURE && op.wait_ended.known() &&
       !op.ended.isAfter(op.wait_ended));
  return by_wait && op.wait_began.known() ? op.wait_began : op.ended;
}

}  // namespace traced
