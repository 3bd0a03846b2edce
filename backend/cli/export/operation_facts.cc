#include "cli/export/operation_facts.h"

#include <initializer_list>
#include <variant>
#include <vector>

#include "analysis/stream/call_text.h"
#include "analysis/stream/names.h"
#include "analysis/time_split/certified_times.h"
#include "cli/export/operation_columns.h"

namespace traced {
namespace {

using Columns = std::vector<const ExportColumn*>;

Columns columnsOf(std::initializer_list<const char*> names) {
  Columns columns;
  for (const char* name : names) columns.push_back(&operationColumn(name));
  return columns;
}

void unlessZero(FactTaker& to, const char* name, std::uint64_t value) {
  if (value > 0) to.take(name, value);
}

void tellColumns(FactTaker& to, const Columns& columns,
                 const ExportedCall& call) {
  for (const ExportColumn* column : columns) {
    if (column->number) {
      const ExportNumber number = column->number(call);
      if (number.kind == ExportNumber::Kind::kCount) {
        to.take(column->name, number.value);
      }
      continue;
    }
    const CellValue value = column->value(call);
    if (const auto* text = std::get_if<std::string>(&value)) {
      to.take(column->name, *text);
    } else if (const auto* count = std::get_if<std::uint64_t>(&value)) {
      if (column->kind != ColumnKind::kBytes || *count > 0) {
        to.take(column->name, *count);
      }
    }
  }
}

void tellTimes(FactTaker& to, const OperationSplit& split,
               const AssembledOperation& op,
               const std::optional<JobView::Latest>& latest) {
  if (const auto& wait = split.wait_for_peers) {
    to.take("wait_for_peers_ns", notBelowZero(wait->ns));
    unlessZero(to, "wait_for_peers_within_ns", offByNs(*wait));
  }
  if (const auto& transfer = split.transfer) {
    to.take("transfer_ns", notBelowZero(transfer->ns));
    unlessZero(to, "transfer_within_ns", transferOffByNs(*transfer, op));
  }
  if (op.ended.known() && isLateBound(op)) {
    to.take("end_bound", std::string(nameOf(endBoundOf(op))));
  }
  if (!latest) return;
  to.take("latest_rank", std::uint64_t{latest->rank});
  to.take("latest_by_ns", notBelowZero(latest->ready_ns - latest->before_ns));
  unlessZero(to, "latest_within_ns", latest->within_ns);
}

}  // namespace

void tellFacts(FactTaker& to, const StreamTable& table,
               const OperationSlice& slice,
               const std::optional<JobView::Latest>& latest) {
  static const Columns what = columnsOf(
      {"seq", "bytes_in", "bytes_out", "dtype", "root_global", "step"});
  static const Columns where =
      columnsOf({"site", "module", "phase", "annotations", "parent",
                 "algorithm", "protocol", "error"});
  // None of these is a group or an instant.
  static const std::string no_group = "-";
  static const v1::ClockModel no_clock;
  const AssembledOperation& op = table.operations[slice.cell.operation];
  const v1::Call* const call = table.callOf(op);
  const ClockCursor clock(no_clock);
  const ExportedCall exported{table, op, call, no_group, 0, 0, clock};
  tellColumns(to, what, exported);
  if (call) {
    const std::string shape = shapeText(*call);
    if (!shape.empty() && shape != "-") to.take("shape", shape);
    if (const auto peer = table.peerOf(op, *call)) {
      to.take("peer_rank", std::uint64_t{*peer});
    }
  }
  tellTimes(to, slice.split, op, latest);
  tellColumns(to, where, exported);
  if (slice.how != SpanEnd::kEnded) {
    to.take("end", nameOf(slice.how));
  }
}

}  // namespace traced
