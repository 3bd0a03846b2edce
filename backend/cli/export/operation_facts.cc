#include "cli/export/operation_facts.h"

#include <initializer_list>
#include <vector>

#include "analysis/stream/names.h"
#include "analysis/time_split/certified_times.h"
#include "cli/export/operation_columns.h"
#include "trace_io/call_text.h"

namespace traced {
namespace {

using Columns = std::vector<const ExportColumn*>;

// Returns the columns with these names, which must exist.
Columns columnsOf(std::initializer_list<const char*> names) {
  Columns columns;
  for (const char* name : names) columns.push_back(&operationColumn(name));
  return columns;
}

// Reports an uncertainty in nanoseconds unless it is 0.
void unlessZero(TakeFact take, const char* name, std::uint64_t value) {
  if (value > 0) take(name, value);
}

void reportColumns(TakeFact take, const Columns& columns,
                   const ExportedCall& call) {
  for (const ExportColumn* column : columns) {
    if (column->number) {
      const ExportNumber number = column->number(call);
      if (number.kind == ExportNumber::Kind::kAbsent) continue;
      take(column->name, number.value);
    } else {
      const CellValue value = column->value(call);
      const bool is_no_size = column->kind == ColumnKind::kBytes &&
                              value == CellValue(std::uint64_t{0});
      if (value != CellValue() && !is_no_size) take(column->name, value);
    }
  }
}

void reportTimes(TakeFact take, const OperationSplit& split,
                 const AssembledOperation& op,
                 const std::optional<JobView::Latest>& latest) {
  if (const auto& wait = split.wait_for_peers) {
    take("wait_for_peers_ns", notBelowZero(wait->ns));
    unlessZero(take, "wait_for_peers_within_ns", offByNs(*wait));
  }
  if (const auto& transfer = split.transfer) {
    take("transfer_ns", notBelowZero(transfer->ns));
    unlessZero(take, "transfer_within_ns", transferOffByNs(*transfer, op));
  }
  if (op.ended.known() && isLateBound(op)) {
    take("end_bound", std::string(nameOf(endBoundOf(op))));
  }
  if (!latest) return;
  take("latest_rank", std::uint64_t{latest->rank});
  take("latest_by_ns", notBelowZero(latest->ready_ns - latest->before_ns));
  unlessZero(take, "latest_within_ns", latest->within_ns);
}

const char* endWords(SpanEnd how) {
  switch (how) {
    case SpanEnd::kEnded:
      return "recorded";
    case SpanEnd::kWithBatch:
      return "with its batch, or before";
    case SpanEnd::kFailed:
      return "failed";
    case SpanEnd::kNotSeen:
      return "not seen";
    case SpanEnd::kOpen:
      break;
  }
  return "none recorded";
}

}  // namespace

void reportFacts(TakeFact take, const StreamTable& table,
                 const OperationSlice& slice,
                 const std::optional<JobView::Latest>& latest) {
  static const Columns what = columnsOf(
      {"seq", "bytes_in", "bytes_out", "dtype", "root_global", "step"});
  static const Columns where =
      columnsOf({"site", "module", "phase", "annotations", "parent",
                 "algorithm", "protocol", "error"});
  // Placeholders: no requested column is a group or an instant.
  static const std::string no_group = "-";
  static const v1::ClockModel no_clock;
  const AssembledOperation& op = table.operations[slice.cell.operation];
  const v1::Call* const call = table.callOf(op);
  const ClockCursor clock(no_clock);
  const ExportedCall exported{table, op, call, no_group, 0, 0, clock};
  reportColumns(take, what, exported);
  if (call) {
    const CellValue shape = textCell(shapeText(*call));
    if (shape != CellValue()) take("shape", shape);
    if (const auto peer = table.peerOf(op, *call)) {
      take("peer_rank", std::uint64_t{*peer});
    }
  }
  reportTimes(take, slice.split, op, latest);
  reportColumns(take, where, exported);
  if (slice.how != SpanEnd::kEnded) {
    take("end", endWords(slice.how));
  }
}

}  // namespace traced
