// Converts records to rows of the trace.

#pragma once

#include "ring_io/ring/record.h"
#include "ring_io/ring/ring.h"
#include "trace_io/row.h"

namespace traced {

inline IssueRow rowOf(std::uint64_t position, const IssueRecord& record) {
  return {.op = position,
          .issue_ns = record.issue_ns,
          .call = record.call,
          .buffers = record.buffers,
          .seq = record.seq,
          .thread = record.thread,
          .batch = record.batch,
          .context = record.context,
          .stack = record.stack};
}

inline ReturnRow rowOf(std::uint64_t, const ReturnRecord& record) {
  return {.op = record.op,
          .return_ns = record.return_ns,
          .outcome = static_cast<std::uint32_t>(record.outcome),
          .error = record.error};
}

inline DoneRow rowOf(std::uint64_t, const DoneRecord& record) {
  return {.op = record.op,
          .end_ns = record.end_ns,
          .source = static_cast<std::uint32_t>(record.source),
          .outcome = static_cast<std::uint32_t>(record.outcome),
          .error = record.error,
          .engine_ns_plus_1 = record.engine_ns_plus_1};
}

inline WaitRow rowOf(std::uint64_t, const WaitRecord& record) {
  return {.op = record.op,
          .wait_begin_ns = record.begin_ns,
          .wait_ns = record.wait_ns,
          .outcome = static_cast<std::uint32_t>(record.outcome),
          .error = record.error,
          .saw_end = record.saw_end,
          .stall_ns_plus_1 = record.stall_ns_plus_1,
          .source_rank_plus_1 = record.source_rank_plus_1,
          .by_future = record.by_future};
}

inline MarkRow rowOf(std::uint64_t position, const MarkRecord& record) {
  return {.position = position,
          .mark_ns = record.mark_ns,
          .kind = static_cast<std::uint32_t>(record.kind),
          .value = record.value,
          .text = record.text};
}

// Returns the row of a record that already has the row's layout.
template <typename Row>
Row rowOf(std::uint64_t position, Row row) {
  if constexpr (requires { row.position; }) row.position = position;
  return row;
}

// Calls visit(row) for each row that a record becomes. A definition has none.
template <typename Visit>
[[gnu::always_inline]] inline void forEachRow(const Ring::Record& record,
                                              Visit&& visit) {
  const std::uint64_t position = record.position;
  switch (record.kind) {
    case RecordKind::kReturnAndWait: {
      const auto both = record.as<ReturnAndWaitRecord>();
      visit(rowOf(position, both.returned()));
      return visit(rowOf(position, both.waited()));
    }
#define TRACED_CASE(kind, Record) \
  case RecordKind::kind:          \
    return visit(rowOf(position, record.as<Record>()));
      TRACED_ROW_RECORDS(TRACED_CASE)
#undef TRACED_CASE
    default:
      return;
  }
}

}  // namespace traced
