// What a row tells of its operation, whose rows may come in any order of
// chunks.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "analysis/stream/assembled_operation.h"
#include "analysis/stream/instant.h"
#include "analysis/stream/stream_table.h"
#include "trace_io/row.h"
#include "trace_io/wrapping.h"

namespace traced {

inline void noteError(AssembledOperation& op, std::uint32_t text,
                      ErrorOrigin origin) {
  if (text == 0 || origin >= op.error_origin) return;
  op.error = text;
  op.error_origin = origin;
}

// `call`: index into StreamDefinitions::calls(), or kNoCall.
[[gnu::always_inline]] inline void apply(const IssueRow& row,
                                         std::uint32_t call,
                                         AssembledOperation& op) {
  op.issued = Instant(row.issue_ns);
  op.call = call;
  op.buffers = row.buffers;
  op.thread = row.thread;
  op.seq = row.seq;
  op.batch = row.batch;
  op.context = row.context;
  op.stack = row.stack;
}

[[gnu::always_inline]] inline void apply(const ReturnRow& row,
                                         AssembledOperation& op) {
  if (op.returned.known()) return;
  op.returned = Instant(row.return_ns);
  op.failed |= row.outcome == 1;
  noteError(op, row.error, ErrorOrigin::kReturn);
}

[[gnu::always_inline]] inline void apply(const DoneRow& row,
                                         AssembledOperation& op) {
  const bool only_waited = op.end_source == v1::END_SOURCE_WAIT;
  const bool is_first = !op.ended.known() || only_waited;
  // No source tells an end too early: of several the earliest is the best.
  const bool is_best = is_first || row.end_ns < op.ended.ns();
  // The source of the end tells the duration, or who else told one first: what
  // an engine measures begins behind an event that is before it.
  const auto known_ns = between(op.started, op.ended);
  const bool tells_duration =
      row.engine_ns_plus_1 > 0 && (is_best || !known_ns);
  const std::uint64_t engine_ns_plus_1 = tells_duration ? row.engine_ns_plus_1
                                         : known_ns     ? *known_ns + 1
                                                        : 0;
  if (is_first) {
    op.failed |= row.outcome == 1;
    noteError(op, row.error, ErrorOrigin::kDone);
  }
  if (is_best) {
    op.ended = Instant(row.end_ns);
    op.end_source = static_cast<v1::EndSource>(row.source);
  }
  if (engine_ns_plus_1 > 0) {
    op.started = Instant(wrappingDifference(
        op.ended.ns(), static_cast<std::int64_t>(engine_ns_plus_1 - 1)));
  }
}

[[gnu::always_inline]] inline void apply(const WaitRow& row,
                                         AssembledOperation& op) {
  constexpr std::uint32_t kThrew = 1;
  constexpr std::uint32_t kReturnedFalse = 2;
  // A later row is about the same wait; it may have found out the stall.
  if (op.stall_ns_plus_1 == 0) op.stall_ns_plus_1 = row.stall_ns_plus_1;
  if (op.wait_began.known()) return;
  op.wait_began = Instant(row.wait_begin_ns);
  op.wait_ended = Instant(row.endNs());
  op.failed |= row.outcome == kThrew || row.outcome == kReturnedFalse;
  noteError(op, row.error, ErrorOrigin::kWait);
  op.source_rank_plus_1 = row.source_rank_plus_1;
  const bool saw_end = row.saw_end == 1 && row.outcome != kThrew;
  if (saw_end && !op.ended.known()) {
    op.ended = op.wait_ended;
    op.end_source = v1::END_SOURCE_WAIT;
  }
}

[[gnu::always_inline]] inline void apply(const ReleaseRow& row,
                                         AssembledOperation& op) {
  if (!op.released.known()) op.released = Instant(row.release_ns);
}

// `table`: of the stream.
inline void apply(const MethodRow& row, const StreamTable& table,
                  AssembledOperation& op) {
  // A text may have come under several ids.
  const auto add = [&table](std::uint32_t& known, std::uint32_t told) {
    if (told == 0 || told == known) return;
    const bool is_same = table.methodText(known) == table.methodText(told);
    known = known == 0 || is_same ? told : AssembledOperation::kSeveral;
  };
  add(op.algorithm, row.algorithm);
  add(op.protocol, row.protocol);
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint16_t>::max();
  op.channels = static_cast<std::uint16_t>(
      std::max<std::uint32_t>(op.channels, std::min(row.channels, kMost)));
}

}  // namespace traced
