#include "analysis/stream/observed_end.h"

namespace traced {
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
