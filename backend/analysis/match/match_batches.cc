#include "analysis/match/match_batches.h"

#include <algorithm>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace traced {
namespace {

// Of one stream: which stream, and the number of the batch there.
using BatchKey = std::pair<std::uint32_t, std::uint64_t>;

const AssembledOperation& operationOf(const LoadedRun& run,
                                      const MatchCell& cell) {
  return run.streams[cell.stream].table.operations[cell.operation];
}

bool endsBatch(const LoadedRun& run, const MatchCell& cell) {
  const AssembledOperation& op = operationOf(run, cell);
  const v1::Call* call = run.streams[cell.stream].table.callOf(op);
  return op.batch > 0 && call && call->op() == v1::OPERATION_COALESCED;
}

// A part that one row lacks may be where the batch began, and a row that lacks
// one may be taken for another, and belong to another batch.
void spreadWhatIsNotWhole(
    const LoadedRun& run,
    const absl::flat_hash_map<BatchKey, std::uint32_t>& rows,
    MatchTable& table) {
  absl::flat_hash_set<std::uint32_t> parted;
  for (const MatchRow& row : table.rows) {
    if (row.whole) continue;
    for (const MatchCell& cell : table.cellsOf(row)) {
      const auto found = rows.find({cell.stream, operationOf(run, cell).batch});
      if (found != rows.end()) parted.insert(table.rows[found->second].batch);
    }
  }
  for (MatchRow& row : table.rows) row.whole &= !parted.contains(row.batch);
}

// Numbers batches by the place of their rows.
void renumber(MatchTable& table) {
  absl::flat_hash_map<std::uint32_t, std::uint32_t> numbers;
  for (MatchRow& row : table.rows) {
    if (row.batch == 0) continue;
    const auto next = static_cast<std::uint32_t>(numbers.size() + 1);
    row.batch = numbers.try_emplace(row.batch, next).first->second;
  }
}

}  // namespace

void linkBatches(const LoadedRun& run, MatchTable& table) {
  absl::flat_hash_map<BatchKey, std::uint32_t> rows;
  for (std::uint32_t i = 0; i < table.rows.size(); ++i) {
    MatchRow& row = table.rows[i];
    row.order_ns = row.first_issue_ns;
    for (const MatchCell& cell : table.cellsOf(row)) {
      if (!endsBatch(run, cell)) continue;
      row.batch = i + 1;
      row.ends_batch = true;
      rows.try_emplace({cell.stream, operationOf(run, cell).batch}, i);
    }
  }
  if (rows.empty()) return;
  for (MatchRow& row : table.rows) {
    const MatchCell& cell = table.cellsOf(row).front();
    const auto found =
        row.ends_batch ? rows.end()
                       : rows.find({cell.stream, operationOf(run, cell).batch});
    if (found == rows.end()) continue;
    MatchRow& batch = table.rows[found->second];
    row.batch = batch.batch;
    ++batch.members;
    batch.order_ns = std::min(batch.order_ns, row.first_issue_ns);
  }
  // A batch stands where its first member was issued, its members behind it.
  for (MatchRow& row : table.rows) {
    if (row.batch > 0) row.order_ns = table.rows[row.batch - 1].order_ns;
  }
  spreadWhatIsNotWhole(run, rows, table);
}

void sortRows(MatchTable& table) {
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [](const MatchRow& a, const MatchRow& b) {
                     return std::tuple(a.order_ns, a.batch, !a.ends_batch,
                                       a.first_issue_ns) <
                            std::tuple(b.order_ns, b.batch, !b.ends_batch,
                                       b.first_issue_ns);
                   });
  renumber(table);
}

}  // namespace traced
