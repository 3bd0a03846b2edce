// From when to when an operation is drawn.

#pragma once

#include <cstdint>

#include "analysis/stream/batches.h"
#include "analysis/stream/stream_table.h"

namespace traced {

enum class SpanEnd : std::uint8_t {
  // Its end was recorded.
  kEnded,
  // It ended with the batch that it was carried out with, or before.
  kWithBatch,
  // It failed; what ends the span is when that was known.
  kFailed,
  // It was over by some time that nobody saw: the span ends with the last that
  // is known of it.
  kNotSeen,
  // Nothing tells that it ended: perhaps it was under way when the trace ended.
  // The span ends with the last that is known of it.
  kOpen,
};

// Of an operation whose issue is known. On the clock of its stream.
struct OperationSpan {
  Instant begin;
  Instant end;
  SpanEnd how = SpanEnd::kOpen;
};

// `batches`: of the same stream.
OperationSpan spanOf(const StreamTable& table, const Batches& batches,
                     const AssembledOperation& op);

}  // namespace traced
