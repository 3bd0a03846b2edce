#include "analysis/digest/unseen_by_row.h"

#include <algorithm>

#include "analysis/digest/unseen_ways.h"
#include "analysis/job/unseen_waits.h"
#include "analysis/stream/batches.h"

namespace traced {
namespace {

using UnseenWindows = std::vector<UnseenWaits::Window>;

std::vector<UnseenWindows> windowsByRow(
    const StreamTable& table, std::size_t rows,
    const std::function<std::size_t(const AssembledOperation&)>& row_of) {
  std::vector<UnseenWindows> by_row(rows);
  const Batches batches(table);
  for (const AssembledOperation& op : table.operations) {
    if (table.isSimulated(op) || !hasUnseenWait(op, table, batches)) continue;
    by_row[row_of(op)].push_back(UnseenWaits::windowOf(op, table));
  }
  return by_row;
}

}  // namespace

std::vector<std::uint64_t> unseenByRow(
    const StreamTable& table, absl::Span<const DigestRow> rows,
    const std::function<std::size_t(const AssembledOperation&)>& row_of) {
  std::vector<std::uint64_t> bounds;
  if (std::all_of(rows.begin(), rows.end(), [](const DigestRow& row) {
        return row.totals.waits_unknown == 0;
      })) {
    return bounds;
  }
  const std::vector<UnseenWindows> by_row =
      windowsByRow(table, rows.size(), row_of);
  const UnseenWaits waits(table);
  for (const UnseenWay& way : unseenWays()) {
    const UnseenCells cells =
        unseenCells(way, rows, table.definitions.groups());
    std::vector<UnseenWindows> by_cell(cells.count);
    for (std::size_t row = 0; row < by_row.size(); ++row) {
      if (by_row[row].empty()) continue;
      UnseenWindows& windows = by_cell[cells.of_row[row]];
      windows.insert(windows.end(), by_row[row].begin(), by_row[row].end());
    }
    for (UnseenWindows& windows : by_cell) {
      bounds.push_back(waits.atMostNs(windows));
    }
  }
  return bounds;
}

}  // namespace traced
