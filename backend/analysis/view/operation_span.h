// Determines the interval in which an operation is drawn.

#pragma once

#include <cstdint>

#include "analysis/stream/batches.h"
#include "analysis/stream/stream_table.h"

namespace traced {

enum class SpanEnd : std::uint8_t {
  // Its end was recorded.
  kEnded,
  // It ended with its batch, or before.
  kWithBatch,
  // It failed. The span ends when the failure was known.
  kFailed,
  // It ended at an unrecorded time. The span ends at its last known instant.
  kNotSeen,
  // It has no known end and may have been in flight when the trace ended. The
  // span ends at its last known instant.
  kOpen,
};

// For an operation with a known issue. Times are on the clock of its stream.
struct OperationSpan {
  Instant begin;
  Instant end;
  SpanEnd how = SpanEnd::kOpen;
};

// Returns the span of an operation. `batches`: batches of the same stream.
OperationSpan spanOf(const StreamTable& table, const Batches& batches,
                     const AssembledOperation& op);

}  // namespace traced
