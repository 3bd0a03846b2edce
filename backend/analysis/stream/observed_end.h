// Classifies how precisely the recorded end of an operation is known.

#pragma once

#include "analysis/stream/assembled_operation.h"

namespace traced {

enum class EndBound : std::uint8_t {
  // It ended at that instant.
  kExact,
  // It ended at or before that instant. The report follows the end closely, but
  // waiters are woken first, and on a busy machine the reporting thread waits
  // for a CPU.
  kReported,
  // It ended at or before that instant, when it was checked. It may have ended
  // long before.
  kSeen,
};

// Returns how precise the end of `op` is. The end must be known.
inline EndBound endBoundOf(const AssembledOperation& op) {
  // A shorter stall occurs even if the operation had ended before
  // (docs/use/nccl.md).
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

// Returns whether the recorded end is only an upper bound.
inline bool isLateBound(const AssembledOperation& op) {
  return endBoundOf(op) != EndBound::kExact;
}

// Returns the instant from which the end would have been noticed at once. The
// operation ended at the recorded instant, or at any time before the returned
// one. Returns an unknown instant if the recorded end is exact. A wait until
// the reported end blocked the caller all that time.
inline Instant watchedSince(const AssembledOperation& op) {
  if (!isLateBound(op)) return {};
  const bool by_wait =
      op.end_source == v1::END_SOURCE_WAIT ||
      (op.end_source == v1::END_SOURCE_FUTURE && op.wait_ended.known() &&
       !op.ended.isAfter(op.wait_ended));
  return by_wait && op.wait_began.known() ? op.wait_began : op.ended;
}

}  // namespace traced
