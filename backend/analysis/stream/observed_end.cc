#include "analysis/stream/observed_end.h"

namespace traced {
namespace {

// A stream that was not held up for longer than that came past the wait without
// it (docs/nccl.md).
constexpr std::uint64_t kHeldUpNs = 10'000;

}  // namespace

EndBound endBoundOf(const AssembledOperation& op) {
  switch (op.end_source) {
    case v1::END_SOURCE_HOST_CALL:
    case v1::END_SOURCE_DEVICE_EVENT:
      return EndBound::kExact;
    case v1::END_SOURCE_FUTURE:
      return EndBound::kTold;
    case v1::END_SOURCE_DEVICE_WAIT:
      return op.stall_ns_plus_1 > kHeldUpNs + 1 ? EndBound::kExact
                                                : EndBound::kSeen;
    default:
      return EndBound::kSeen;
  }
}

// A wait that went on until the end was told held the caller up until then.
Instant watchedSince(const AssembledOperation& op) {
  if (!isLateBound(op)) return {};
  const bool by_wait =
      op.end_source == v1::END_SOURCE_WAIT ||
      (op.end_source == v1::END_SOURCE_FUTURE && op.wait_ended.known() &&
       !op.ended.isAfter(op.wait_ended));
  return by_wait && op.wait_began.known() ? op.wait_began : op.ended;
}

}  // namespace traced
