// Records, as the rows of a trace that they become.

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

inline ReturnRow rowOf(const ReturnRecord& record) {
  return {.op = record.op,
          .return_ns = record.return_ns,
          .outcome = static_cast<std::uint32_t>(record.outcome),
          .error = record.error};
}

inline DoneRow rowOf(const DoneRecord& record) {
  return {.op = record.op,
          .end_ns = record.end_ns,
          .source = static_cast<std::uint32_t>(record.source),
          .outcome = static_cast<std::uint32_t>(record.outcome),
          .error = record.error,
          .engine_ns_plus_1 = record.engine_ns_plus_1};
}

inline WaitRow rowOf(const WaitRecord& record) {
  return {.op = record.op,
          .wait_begin_ns = record.begin_ns,
          .wait_ns = record.wait_ns,
          .outcome = static_cast<std::uint32_t>(record.outcome),
          .error = record.error,
          .saw_end = record.saw_end,
          .stall_ns_plus_1 = record.stall_ns_plus_1,
          .source_rank_plus_1 = record.source_rank_plus_1};
}

inline ReleaseRow rowOf(const ReleaseRecord& record) {
  return {.op = record.op, .release_ns = record.release_ns};
}

inline MethodRow rowOf(const MethodRecord& record) {
  return {.op = record.op,
          .algorithm = record.algorithm,
          .protocol = record.protocol,
          .channels = record.channels};
}

inline MarkRow rowOf(std::uint64_t position, const MarkRecord& record) {
  return {.position = position,
          .mark_ns = record.mark_ns,
          .kind = static_cast<std::uint32_t>(record.kind),
          .value = record.value,
          .text = record.text};
}

// Calls visit(row) for each row that a record becomes: none for a definition.
template <typename Visit>
[[gnu::always_inline]] inline void forEachRow(const Ring::Record& record,
                                              Visit&& visit) {
  switch (record.kind) {
    case RecordKind::kIssue:
      return visit(rowOf(record.position, record.as<IssueRecord>()));
    case RecordKind::kReturn:
      return visit(rowOf(record.as<ReturnRecord>()));
    case RecordKind::kDone:
      return visit(rowOf(record.as<DoneRecord>()));
    case RecordKind::kWait:
      return visit(rowOf(record.as<WaitRecord>()));
    case RecordKind::kReturnAndWait: {
      const auto both = record.as<ReturnAndWaitRecord>();
      visit(rowOf(both.returned()));
      return visit(rowOf(both.waited()));
    }
    case RecordKind::kRelease:
      return visit(rowOf(record.as<ReleaseRecord>()));
    case RecordKind::kMethod:
      return visit(rowOf(record.as<MethodRecord>()));
    case RecordKind::kMark:
      return visit(rowOf(record.position, record.as<MarkRecord>()));
    default:
      return;
  }
}

}  // namespace traced
