#include "cli/export/parquet/match_table.h"

#include <algorithm>
#include <tuple>

#include "analysis/stream/names.h"
#include "analysis/stream/observed_end.h"
#include "analysis/stream/operation_kinds.h"
#include "trace_io/message_size.h"

namespace traced {
namespace {

const TableSpec& jobOperationSpec() {
  static const TableSpec spec = {
      "matches",
      {{"group_label", ColumnKind::kText},
       {"group_size", ColumnKind::kNumber, true},
       {"seq"},
       {"src", ColumnKind::kNumber, true},
       {"dst", ColumnKind::kNumber, true},
       {"correlation_id", ColumnKind::kNumber, true},
       {"op", ColumnKind::kText},
       {"message_size", ColumnKind::kNumber, true},
       {"ranks", ColumnKind::kNumber, true},
       {"ended", ColumnKind::kNumber, true},
       {"failed", ColumnKind::kNumber, true},
       {"simulated", ColumnKind::kNumber, true},
       {"late_ends", ColumnKind::kNumber, true},
       {"first_issue_ns"},
       {"last_issue_ns"},
       {"last_issue_rank", ColumnKind::kNumber, true},
       {"first_end_ns"},
       {"last_end_ns"},
       {"last_rank", ColumnKind::kNumber, true},
       {"seems_last_rank", ColumnKind::kNumber, true},
       {"behind_ns"}},
      {"group_label", "src", "dst", "seq"}};
  return spec;
}

std::int64_t rankOrNone(std::uint32_t rank) {
  return rank == OperationKey::kNoRank ? kNoValue : std::int64_t{rank};
}

}  // namespace

JobOperationTable::Row& JobOperationTable::rowOf(
    const ExportedOperation& operation) {
  const ExportedCall& call = operation.call;
  const auto next = static_cast<std::uint32_t>(rows_.size());
  const std::uint32_t at = index_.at(*operation.key, call.op.seq, next);
  if (at != next) return rows_[at];
  Row& row = rows_.emplace_back();
  row.key = *operation.key;
  row.group_place = operation.group_place;
  row.seq = call.op.seq;
  row.op = call.call->op();
  row.group_size = call.group_size;
  row.correlation_id = operation.correlation_id;
  if (trafficOf(row.op) != Traffic::kNone) {
    row.message_size =
        TableColumn::fitting(messageBytes(*call.call, call.group_size));
  }
  return row;
}

void JobOperationTable::add(const ExportedOperation& operation) {
  if (!operation.key) return;
  Row& row = rowOf(operation);
  addIssue(row, operation);
  addEnd(row, operation);
  addArrival(row, operation);
  ++row.ranks;
  row.failed += operation.call.op.failed;
  row.simulated += operation.call.call->simulated();
}

void JobOperationTable::addIssue(Row& row, const ExportedOperation& operation) {
  const std::int64_t ns = operation.commonNsOf(operation.call.op.issued);
  if (row.ranks == 0 || ns < row.first_issue_ns) row.first_issue_ns = ns;
  if (row.ranks > 0 && ns <= row.last_issue_ns) return;
  row.last_issue_ns = ns;
  row.last_issue_rank = operation.rank();
}

void JobOperationTable::addEnd(Row& row, const ExportedOperation& operation) {
  const AssembledOperation& op = operation.call.op;
  if (!op.ended.known()) return;
  const std::int64_t ns = operation.commonNsOf(op.ended);
  if (row.ended == 0 || ns < row.first_end_ns) row.first_end_ns = ns;
  if (row.ended == 0 || ns > row.last_end_ns) row.last_end_ns = ns;
  ++row.ended;
  row.late_ends += isLateBound(op);
}

void JobOperationTable::addArrival(Row& row,
                                   const ExportedOperation& operation) {
  const std::int64_t rank = operation.rank();
  const OperationSplit& split = operation.split;
  if (split.arrival && split.arrival->is_last) row.last_rank = rank;
  if (!split.likely_arrival) return;
  row.behind_ns = TableColumn::fitting(split.likely_arrival->behind_ns);
  if (split.likely_arrival->is_last) row.seems_last_rank = rank;
}

void JobOperationTable::write(const TableFolder& folder,
                              const GroupCatalog& groups) {
  const auto place = [](const Row& row) {
    // Collectives have no ranks, and come behind the messages.
    return std::tie(row.group_place, row.key.source, row.key.destination,
                    row.seq);
  };
  std::sort(rows_.begin(), rows_.end(),
            [&](const Row& a, const Row& b) { return place(a) < place(b); });
  TableFile file(folder, jobOperationSpec(), 0);
  for (const Row& row : rows_) addRow(file, row, groups.label(row.key.group));
  file.finish();
}

void JobOperationTable::addRow(TableFile& file, const Row& row,
                               const std::string& group) {
  std::size_t column = 0;
  file[column++].addText(group);
  file[column++].add(row.group_size > 0 ? std::int64_t{row.group_size}
                                        : kNoValue);
  file[column++].addCount(row.seq);
  file[column++].add(rankOrNone(row.key.source));
  file[column++].add(rankOrNone(row.key.destination));
  file[column++].add(row.correlation_id);
  file[column++].addText(nameOf(row.op));
  file[column++].add(row.message_size);
  file[column++].add(row.ranks);
  file[column++].add(row.ended);
  file[column++].add(row.failed);
  file[column++].add(row.simulated);
  file[column++].add(row.late_ends);
  file[column++].add(row.first_issue_ns);
  file[column++].add(row.last_issue_ns);
  file[column++].add(row.last_issue_rank);
  file[column++].add(row.first_end_ns);
  file[column++].add(row.last_end_ns);
  file[column++].add(row.last_rank);
  file[column++].add(row.seems_last_rank);
  file[column++].add(row.behind_ns);
  file.endRow();
}

}  // namespace traced
