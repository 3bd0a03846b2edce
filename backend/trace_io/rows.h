// The rows of a payload: one struct per kind of event, read from its columns.
// See rows.proto and docs/format.md, "Rows".

#pragma once

#include <array>
#include <cstdint>

#include "trace_io/told_instants.h"
#include "trace_io/wrapping.h"
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

  std::int64_t endNs() const {
    return wrappingSum(wait_begin_ns, static_cast<std::int64_t>(wait_ns));
  }
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

// Undoes a column of differences.
class Running {
 public:
  explicit Running(std::int64_t start) : value_(start) {}

  std::int64_t next(const google::protobuf::RepeatedField<std::int64_t>& deltas,
                    int row) {
    return value_ = wrappingSum(value_, cell(deltas, row));
  }
  std::uint64_t nextId(
      const google::protobuf::RepeatedField<std::int64_t>& deltas, int row) {
    return static_cast<std::uint64_t>(next(deltas, row));
  }

 private:
  std::int64_t value_;
};

// What IssueRows.seq_step is a difference to.
class LastSeqs {
 public:
  std::int64_t& of(std::uint32_t call) { return last_[call % last_.size()]; }

 private:
  std::array<std::int64_t, 256> last_{};
};

template <typename Visit>
void visitRows(const v1::IssueRows& table, std::int64_t anchor_ns,
               ToldInstants& told, Visit&& visit) {
  Running op(0), issue(anchor_ns);
  LastSeqs seqs;
  for (int i = 0; i < table.op_delta_size(); ++i) {
    IssueRow row{.op = op.nextId(table.op_delta(), i),
                 .issue_ns = issue.next(table.issue_ns_delta(), i),
                 .call = cell(table.call(), i),
                 .buffers = cell(table.buffers(), i),
                 .thread = cell(table.thread(), i),
                 .batch = cell(table.batch(), i)};
    if (!table.seq_step().empty()) {
      std::int64_t& seq = seqs.of(row.call);
      seq = wrappingSum(seq, table.seq_step(i));
      row.seq = static_cast<std::uint64_t>(seq);
    }
    told.issue(row.op, row.issue_ns);
    visit(row);
  }
}

template <typename Visit>
void visitRows(const v1::ReturnRows& table, ToldInstants& told, Visit&& visit) {
  Running op(0);
  for (int i = 0; i < table.op_delta_size(); ++i) {
    ReturnRow row{.op = op.nextId(table.op_delta(), i),
                  .outcome = cell(table.outcome(), i),
                  .error = cell(table.error(), i)};
    std::int64_t& last = told.of(row.op);
    row.return_ns = wrappingSum(last, cell(table.return_ns_since(), i));
    last = row.return_ns;
    visit(row);
  }
}

template <typename Visit>
void visitRows(const v1::DoneRows& table, ToldInstants& told, Visit&& visit) {
  Running op(0);
  for (int i = 0; i < table.op_delta_size(); ++i) {
    DoneRow row{.op = op.nextId(table.op_delta(), i),
                .source = cell(table.source(), i),
                .outcome = cell(table.outcome(), i),
                .error = cell(table.error(), i),
                .engine_ns_plus_1 = cell(table.engine_ns_plus_1(), i)};
    std::int64_t& last = told.of(row.op);
    row.end_ns = wrappingSum(last, cell(table.end_ns_since(), i));
    last = row.end_ns;
    visit(row);
  }
}

template <typename Visit>
void visitRows(const v1::WaitRows& table, ToldInstants& told, Visit&& visit) {
  Running op(0);
  for (int i = 0; i < table.op_delta_size(); ++i) {
    WaitRow row{.op = op.nextId(table.op_delta(), i),
                .wait_ns = cell(table.wait_ns(), i),
                .outcome = cell(table.outcome(), i),
                .error = cell(table.error(), i),
                .saw_end = cell(table.saw_end(), i),
                .stall_ns_plus_1 = cell(table.stall_ns_plus_1(), i),
                .source_rank_plus_1 = cell(table.source_rank_plus_1(), i)};
    std::int64_t& last = told.of(row.op);
    row.wait_begin_ns = wrappingSum(last, cell(table.wait_begin_ns_since(), i));
    last = row.endNs();
    visit(row);
  }
}

template <typename Visit>
void visitRows(const v1::ReleaseRows& table, ToldInstants& told,
               Visit&& visit) {
  Running op(0);
  for (int i = 0; i < table.op_delta_size(); ++i) {
    ReleaseRow row{.op = op.nextId(table.op_delta(), i)};
    row.release_ns =
        wrappingSum(told.of(row.op), cell(table.release_ns_since(), i));
    visit(row);
  }
}

template <typename Visit>
void visitRows(const v1::MarkRows& table, std::int64_t anchor_ns,
               Visit&& visit) {
  Running position(0), mark(anchor_ns);
  for (int i = 0; i < table.position_delta_size(); ++i) {
    visit(MarkRow{.position = position.nextId(table.position_delta(), i),
                  .mark_ns = mark.next(table.mark_ns_delta(), i),
                  .kind = cell(table.kind(), i),
                  .value = cell(table.value(), i),
                  .text = cell(table.text(), i)});
  }
}

}  // namespace detail

// Calls visit(row) for every row of a payload, table by table, with a row of
// each of the types above. Only when columnsAgree().
template <typename Visit>
void forEachRow(const v1::Payload& payload, Visit&& visit) {
  const std::int64_t anchor_ns = payload.anchor().monotonic_ns();
  ToldInstants told(anchor_ns, payload.issued().op_delta_size());
  detail::visitRows(payload.issued(), anchor_ns, told, visit);
  detail::visitRows(payload.returned(), told, visit);
  detail::visitRows(payload.done(), told, visit);
  detail::visitRows(payload.waited(), told, visit);
  detail::visitRows(payload.released(), told, visit);
  detail::visitRows(payload.marked(), anchor_ns, visit);
}

}  // namespace traced
