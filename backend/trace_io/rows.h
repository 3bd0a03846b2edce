// The rows of a payload: one struct per kind of event, read from its columns.
// See rows.proto and docs/format.md, "Rows".

#pragma once

#include <cstdint>

#include "traced/v1/trace.pb.h"

namespace traced {

struct IssueRow {
  std::uint64_t op = 0;
  std::int64_t issue_ns = 0;
  std::uint32_t call = 0;
  std::uint32_t buffers = 0;
  std::uint64_t seq = 0;
  std::uint32_t thread = 0;
  std::uint64_t batch = 0;
};

struct ReturnRow {
  std::uint64_t op = 0;
  std::int64_t return_ns = 0;
  std::uint32_t outcome = 0;
  std::uint32_t error = 0;
};

struct DoneRow {
  std::uint64_t op = 0;
  std::int64_t end_ns = 0;
  std::uint32_t source = 0;
  std::uint32_t outcome = 0;
  std::uint32_t error = 0;
  std::uint64_t engine_ns_plus_1 = 0;
};

struct WaitRow {
  std::uint64_t op = 0;
  std::int64_t wait_begin_ns = 0;
  std::uint64_t wait_ns = 0;
  std::uint32_t outcome = 0;
  std::uint32_t error = 0;
  std::uint32_t saw_end = 0;
  std::uint64_t stall_ns_plus_1 = 0;
  std::uint32_t source_rank_plus_1 = 0;
};

struct ReleaseRow {
  std::uint64_t op = 0;
  std::int64_t release_ns = 0;
};

struct MarkRow {
  std::uint64_t position = 0;
  std::int64_t mark_ns = 0;
  std::uint32_t kind = 0;
  std::uint64_t value = 0;
  std::uint32_t text = 0;
};

// Whether every column is empty or as long as its table. The rows of a payload
// for which it is false are unusable, and must not be read.
bool columnsAgree(const v1::Payload& payload);

// How many rows the payload holds. Only when columnsAgree().
std::uint64_t rowCount(const v1::Payload& payload);

namespace detail {

template <typename T>
T cell(const google::protobuf::RepeatedField<T>& column, int row) {
  return column.empty() ? T{} : column.Get(row);
}

// Undoes a column of differences. Wraps on overflow, which only a damaged or
// hostile column can bring about.
class Running {
 public:
  explicit Running(std::int64_t start)
      : value_(static_cast<std::uint64_t>(start)) {}

  std::uint64_t next(
      const google::protobuf::RepeatedField<std::int64_t>& deltas, int row) {
    return value_ += static_cast<std::uint64_t>(cell(deltas, row));
  }
  std::int64_t nextSigned(
      const google::protobuf::RepeatedField<std::int64_t>& deltas, int row) {
    return static_cast<std::int64_t>(next(deltas, row));
  }

 private:
  std::uint64_t value_;
};

}  // namespace detail

// Calls visit(row) for every row of a table, in order. `anchor_ns` is the
// anchor.monotonic_ns of the payload. Only when columnsAgree().
template <typename Visit>
void forEachRow(const v1::IssueRows& table, std::int64_t anchor_ns,
                Visit&& visit) {
  detail::Running op(0), issue(anchor_ns);
  for (int i = 0; i < table.op_delta_size(); ++i) {
    visit(IssueRow{
        op.next(table.op_delta(), i),
        issue.nextSigned(table.issue_ns_delta(), i),
        detail::cell(table.call(), i), detail::cell(table.buffers(), i),
        detail::cell(table.seq(), i), detail::cell(table.thread(), i),
        detail::cell(table.batch(), i)});
  }
}

template <typename Visit>
void forEachRow(const v1::ReturnRows& table, std::int64_t anchor_ns,
                Visit&& visit) {
  detail::Running op(0), returned(anchor_ns);
  for (int i = 0; i < table.op_delta_size(); ++i) {
    visit(ReturnRow{op.next(table.op_delta(), i),
                    returned.nextSigned(table.return_ns_delta(), i),
                    detail::cell(table.outcome(), i),
                    detail::cell(table.error(), i)});
  }
}

template <typename Visit>
void forEachRow(const v1::DoneRows& table, std::int64_t anchor_ns,
                Visit&& visit) {
  detail::Running op(0), end(anchor_ns);
  for (int i = 0; i < table.op_delta_size(); ++i) {
    visit(DoneRow{
        op.next(table.op_delta(), i), end.nextSigned(table.end_ns_delta(), i),
        detail::cell(table.source(), i), detail::cell(table.outcome(), i),
        detail::cell(table.error(), i),
        detail::cell(table.engine_ns_plus_1(), i)});
  }
}

template <typename Visit>
void forEachRow(const v1::WaitRows& table, std::int64_t anchor_ns,
                Visit&& visit) {
  detail::Running op(0), begin(anchor_ns);
  for (int i = 0; i < table.op_delta_size(); ++i) {
    visit(WaitRow{
        op.next(table.op_delta(), i),
        begin.nextSigned(table.wait_begin_ns_delta(), i),
        detail::cell(table.wait_ns(), i), detail::cell(table.outcome(), i),
        detail::cell(table.error(), i), detail::cell(table.saw_end(), i),
        detail::cell(table.stall_ns_plus_1(), i),
        detail::cell(table.source_rank_plus_1(), i)});
  }
}

template <typename Visit>
void forEachRow(const v1::ReleaseRows& table, std::int64_t anchor_ns,
                Visit&& visit) {
  detail::Running op(0), release(anchor_ns);
  for (int i = 0; i < table.op_delta_size(); ++i) {
    visit(ReleaseRow{op.next(table.op_delta(), i),
                     release.nextSigned(table.release_ns_delta(), i)});
  }
}

template <typename Visit>
void forEachRow(const v1::MarkRows& table, std::int64_t anchor_ns,
                Visit&& visit) {
  detail::Running position(0), mark(anchor_ns);
  for (int i = 0; i < table.position_delta_size(); ++i) {
    visit(MarkRow{position.next(table.position_delta(), i),
                  mark.nextSigned(table.mark_ns_delta(), i),
                  detail::cell(table.kind(), i), detail::cell(table.value(), i),
                  detail::cell(table.text(), i)});
  }
}

}  // namespace traced
