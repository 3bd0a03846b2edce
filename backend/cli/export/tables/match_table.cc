#include "cli/export/tables/match_table.h"

#include <algorithm>
#include <tuple>

#include "analysis/stream/names.h"
#include "analysis/stream/observed_end.h"
#include "analysis/stream/operation_kinds.h"
#include "trace_io/message_size.h"

namespace traced {
namespace {

CellValue rankCell(std::uint32_t rank) {
  return rank == OperationKey::kNoRank ? CellValue() : countCell(rank);
}

}  // namespace

const TableOf<JobMatchTable::Row>& JobMatchTable::table() {
  using R = const Row&;
  static const TableOf<Row> table(
      "matches", "an operation of the job, which several ranks share",
      {{"group_label", [](R r) { return textCell(*r.group); }},
       {"group_size", [](R r) { return countUnlessZero(r.group_size); }},
       {"seq", [](R r) { return countCell(r.seq); }},
       {"src", [](R r) { return rankCell(r.key.source); }},
       {"dst", [](R r) { return rankCell(r.key.destination); }},
       {"correlation_id", [](R r) { return storedCell(r.correlation_id); }},
       {"op", [](R r) { return textCell(nameOf(r.op)); }},
       {"message_size", [](R r) { return storedCell(r.message_size); }},
       {"issued_ranks", [](R r) { return countCell(r.ranks); }},
       {"ended_ranks", [](R r) { return countCell(r.ended); }},
       {"failed_ranks", [](R r) { return countCell(r.failed); }},
       {"simulated_ranks", [](R r) { return countCell(r.simulated); }},
       {"late_ends", [](R r) { return countCell(r.late_ends); }},
       {"first_issue_ns", [](R r) { return storedCell(r.first_issue_ns); }},
       {"last_issue_ns", [](R r) { return storedCell(r.last_issue_ns); }},
       {"last_issue_rank", [](R r) { return countCell(r.last_issue_rank); }},
       {"first_end_ns", [](R r) { return storedCell(r.first_end_ns); }},
       {"last_end_ns", [](R r) { return storedCell(r.last_end_ns); }},
       {"last_rank", [](R r) { return storedCell(r.last_rank); }},
       {"seems_last_rank", [](R r) { return storedCell(r.seems_last_rank); }},
       {"behind_ns", [](R r) { return storedCell(r.behind_ns); }}},
      {"group_label", "src", "dst", "seq"});
  return table;
}

JobMatchTable::Row& JobMatchTable::rowOf(const ExportedOperation& operation) {
  static const ExportColumn& correlation = operationColumn("correlation_id");
  const ExportedCall& call = operation.call;
  const auto next = static_cast<std::uint32_t>(rows_.size());
  const std::uint32_t at = index_.at(*operation.key, call.op.seq, next);
  if (at != next) return rows_[at];
  Row& row = rows_.emplace_back();
  row.key = *operation.key;
  row.group = &call.group;
  row.group_place = operation.group_place;
  row.seq = call.op.seq;
  row.op = call.call->op();
  row.group_size = call.group_size;
  row.correlation_id = storedNumber(correlation.number(call));
  if (trafficOf(row.op) != Traffic::kNone) {
    row.message_size = fitting(messageBytes(*call.call, call.group_size));
  }
  return row;
}

void JobMatchTable::add(const ExportedOperation& operation) {
  if (!operation.key) return;
  Row& row = rowOf(operation);
  addIssue(row, operation);
  addEnd(row, operation);
  addReady(row, operation);
  ++row.ranks;
  row.failed += operation.call.op.failed;
  row.simulated += operation.call.call->simulated();
}

void JobMatchTable::addIssue(Row& row, const ExportedOperation& operation) {
  const std::int64_t ns = operation.commonNsOf(operation.call.op.issued);
  if (row.ranks == 0 || ns < row.first_issue_ns) row.first_issue_ns = ns;
  if (row.ranks > 0 && ns <= row.last_issue_ns) return;
  row.last_issue_ns = ns;
  row.last_issue_rank = operation.rank();
}

void JobMatchTable::addEnd(Row& row, const ExportedOperation& operation) {
  const AssembledOperation& op = operation.call.op;
  if (!op.ended.known()) return;
  const std::int64_t ns = operation.commonNsOf(op.ended);
  if (row.ended == 0 || ns < row.first_end_ns) row.first_end_ns = ns;
  if (row.ended == 0 || ns > row.last_end_ns) row.last_end_ns = ns;
  ++row.ended;
  row.late_ends += isLateBound(op);
}

void JobMatchTable::addReady(Row& row, const ExportedOperation& operation) {
  const std::int64_t rank = operation.rank();
  const OperationSplit& split = operation.split;
  if (split.ready && split.ready->is_last) row.last_rank = rank;
  if (!split.likely_ready) return;
  row.behind_ns = fitting(split.likely_ready->behind_ns);
  if (split.likely_ready->is_last) row.seems_last_rank = rank;
}

void JobMatchTable::write(const TableFolder& folder) {
  const auto place = [](const Row& row) {
    // Collectives have no ranks and sort after the messages.
    return std::tie(row.group_place, row.key.source, row.key.destination,
                    row.seq);
  };
  std::sort(rows_.begin(), rows_.end(),
            [&](const Row& a, const Row& b) { return place(a) < place(b); });
  TableFile file(folder, table().spec);
  for (const Row& row : rows_) file.add(table(), row);
  file.finish();
}

}  // namespace traced
