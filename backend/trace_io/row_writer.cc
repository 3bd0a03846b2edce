#include "trace_io/row_writer.h"

#include "trace_io/latest_instants.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace {

using SignedColumn = google::protobuf::RepeatedField<std::int64_t>;

// Adds a cell of row number `row`. A column stays empty until one is not 0.
template <typename Column, typename T>
void addCell(Column* column, int row, T value) {
  if (column->empty()) {
    if (value == 0) return;
    column->Resize(row, 0);
  }
  column->Add(value);
}

void toDifferences(SignedColumn* column, std::int64_t start) {
  std::int64_t last = start;
  for (std::int64_t& cell : *column) {
    const std::int64_t value = cell;
    cell = wrappingDifference(value, last);
    last = value;
  }
}

// An empty column has 0 everywhere.
template <typename T>
T cellOf(const google::protobuf::RepeatedField<T>& column, int row) {
  return column.empty() ? T{} : column.Get(row);
}

std::uint64_t asId(std::int64_t cell) {
  return static_cast<std::uint64_t>(cell);
}

void finish(v1::IssueRows& table, std::int64_t anchor_ns,
            LatestInstants& told) {
  for (int i = 0; i < table.op_delta_size(); ++i) {
    told.issue(asId(table.op_delta(i)), table.issue_ns_delta(i));
  }
  detail::LastSeqs seqs;
  for (int i = 0; i < table.seq_step_size(); ++i) {
    std::int64_t& last = seqs.of(cellOf(table.call(), i));
    const std::int64_t seq = table.seq_step(i);
    table.set_seq_step(i, wrappingDifference(seq, last));
    last = seq;
  }
  toDifferences(table.mutable_issue_ns_delta(), anchor_ns);
  toDifferences(table.mutable_op_delta(), 0);
}

// The operations and instants of a table; a row's last instant is `length(i)`
// after the one that its cell holds.
template <typename Length>
void finish(SignedColumn* ops, SignedColumn* instants, LatestInstants& told,
            Length length) {
  for (int i = 0; i < ops->size(); ++i) {
    std::int64_t& last = told.of(asId(ops->Get(i)));
    const std::int64_t value = instants->Get(i);
    instants->Set(i, wrappingDifference(value, last));
    last = wrappingSum(value, length(i));
  }
  toDifferences(ops, 0);
}

}  // namespace

void addRow(v1::Payload& payload, const IssueRow& row) {
  v1::IssueRows& table = *payload.mutable_issued();
  const int i = table.op_delta_size();
  table.add_op_delta(static_cast<std::int64_t>(row.op));
  table.add_issue_ns_delta(row.issue_ns);
  addCell(table.mutable_call(), i, row.call);
  addCell(table.mutable_buffers(), i, row.buffers);
  addCell(table.mutable_seq_step(), i, static_cast<std::int64_t>(row.seq));
  addCell(table.mutable_thread(), i, row.thread);
  addCell(table.mutable_batch(), i, row.batch);
  addCell(table.mutable_context(), i, row.context);
  addCell(table.mutable_stack(), i, row.stack);
}

void addRow(v1::Payload& payload, const ReturnRow& row) {
  v1::ReturnRows& table = *payload.mutable_returned();
  const int i = table.op_delta_size();
  table.add_op_delta(static_cast<std::int64_t>(row.op));
  table.add_return_ns_since(row.return_ns);
  addCell(table.mutable_outcome(), i, row.outcome);
  addCell(table.mutable_error(), i, row.error);
}

void addRow(v1::Payload& payload, const DoneRow& row) {
  v1::DoneRows& table = *payload.mutable_done();
  const int i = table.op_delta_size();
  table.add_op_delta(static_cast<std::int64_t>(row.op));
  table.add_end_ns_since(row.end_ns);
  addCell(table.mutable_source(), i, row.source);
  addCell(table.mutable_outcome(), i, row.outcome);
  addCell(table.mutable_error(), i, row.error);
  addCell(table.mutable_engine_ns_plus_1(), i, row.engine_ns_plus_1);
}

void addRow(v1::Payload& payload, const WaitRow& row) {
  v1::WaitRows& table = *payload.mutable_waited();
  const int i = table.op_delta_size();
  table.add_op_delta(static_cast<std::int64_t>(row.op));
  table.add_wait_begin_ns_since(row.wait_begin_ns);
  addCell(table.mutable_wait_ns(), i, row.wait_ns);
  addCell(table.mutable_outcome(), i, row.outcome);
  addCell(table.mutable_error(), i, row.error);
  addCell(table.mutable_saw_end(), i, row.saw_end);
  addCell(table.mutable_stall_ns_plus_1(), i, row.stall_ns_plus_1);
  addCell(table.mutable_source_rank_plus_1(), i, row.source_rank_plus_1);
}

void addRow(v1::Payload& payload, const ReleaseRow& row) {
  v1::ReleaseRows& table = *payload.mutable_released();
  table.add_op_delta(static_cast<std::int64_t>(row.op));
  table.add_release_ns_since(row.release_ns);
}

void addRow(v1::Payload& payload, const MethodRow& row) {
  v1::MethodRows& table = *payload.mutable_method();
  const int i = table.op_delta_size();
  table.add_op_delta(static_cast<std::int64_t>(row.op));
  addCell(table.mutable_algorithm(), i, row.algorithm);
  addCell(table.mutable_protocol(), i, row.protocol);
  addCell(table.mutable_channels(), i, row.channels);
}

void addRow(v1::Payload& payload, const MarkRow& row) {
  v1::MarkRows& table = *payload.mutable_marked();
  const int i = table.position_delta_size();
  table.add_position_delta(static_cast<std::int64_t>(row.position));
  table.add_mark_ns_delta(row.mark_ns);
  addCell(table.mutable_kind(), i, row.kind);
  addCell(table.mutable_value(), i, row.value);
  addCell(table.mutable_text(), i, row.text);
}

void finishRows(v1::Payload& payload) {
  const std::int64_t anchor_ns = payload.anchor().monotonic_ns();
  LatestInstants told(anchor_ns, payload.issued().op_delta_size());
  if (payload.has_issued()) {
    finish(*payload.mutable_issued(), anchor_ns, told);
  }
  const auto none = [](int) { return std::int64_t{0}; };
  if (payload.has_returned()) {
    v1::ReturnRows& table = *payload.mutable_returned();
    finish(table.mutable_op_delta(), table.mutable_return_ns_since(), told,
           none);
  }
  if (payload.has_done()) {
    v1::DoneRows& table = *payload.mutable_done();
    finish(table.mutable_op_delta(), table.mutable_end_ns_since(), told, none);
  }
  if (payload.has_waited()) {
    v1::WaitRows& table = *payload.mutable_waited();
    finish(table.mutable_op_delta(), table.mutable_wait_begin_ns_since(), told,
           [&](int i) {
             return static_cast<std::int64_t>(cellOf(table.wait_ns(), i));
           });
  }
  if (payload.has_released()) {
    v1::ReleaseRows& table = *payload.mutable_released();
    finish(table.mutable_op_delta(), table.mutable_release_ns_since(), told,
           none);
  }
  if (payload.has_method()) {
    toDifferences(payload.mutable_method()->mutable_op_delta(), 0);
  }
  if (payload.has_marked()) {
    v1::MarkRows& table = *payload.mutable_marked();
    toDifferences(table.mutable_mark_ns_delta(), anchor_ns);
    toDifferences(table.mutable_position_delta(), 0);
  }
}

}  // namespace traced
