#include "analysis/match/rows_at_end.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "analysis/job/group_roles.h"
#include "analysis/match/match_fold.h"

namespace traced {
namespace {

// What is loaded of each rank at first: a few operations for each row, as ranks
// are in groups that rows are not of, and what takes little memory anyway.
constexpr std::size_t kOperationsForRow = 4;
constexpr std::size_t kLeastOperations = 64;
constexpr std::size_t kOfAllRanks = 1 << 17;
// How much more is loaded where that did not do.
constexpr std::size_t kGrowth = 8;

// What is not kept lies behind the rows wanted, or before them, and a row that
// is whole stands where it would in the whole run. One that is not may begin
// with a part that is not kept. It may also hide another row: that of a rank
// that used its number twice, of which the second use alone is kept. That row
// stands where one of the parts does.
bool firstAreKnown(const MatchTable& table, const NotKept& not_kept,
                   std::size_t count) {
  const std::int64_t end_ns = table.rows[count - 1].order_ns;
  return not_kept.allBehind(end_ns) &&
         std::all_of(table.rows.begin(), table.rows.end(),
                     [end_ns](const MatchRow& row) {
                       return row.whole || row.order_ns > end_ns;
                     });
}

bool lastAreKnown(const MatchTable& table, const NotKept& not_kept,
                  std::size_t count) {
  const std::int64_t begin_ns = table.rows[table.rows.size() - count].order_ns;
  return not_kept.allBefore(begin_ns) &&
         std::all_of(table.rows.begin(), table.rows.end(),
                     [begin_ns](const MatchRow& row) {
                       return row.whole || row.last_issue_ns < begin_ns;
                     });
}

}  // namespace

bool rowsAreKnown(const MatchTable& table, const NotKept& not_kept,
                  const RowsWanted& wanted) {
  if (not_kept.empty() || wanted.rows == 0) return true;
  if (table.rows.size() < wanted.rows) return false;
  return wanted.end == PartToLoad::End::kFirst
             ? firstAreKnown(table, not_kept, wanted.rows)
             : lastAreKnown(table, not_kept, wanted.rows);
}

RowsAtEnd::RowsAtEnd(const TraceSet& set, std::optional<RowsWanted> wanted,
                     MatchFilter filter)
    : set_(set), wanted_(wanted), filter_(std::move(filter)) {
  if (wanted_) {
    const std::size_t ranks = std::max<std::size_t>(set.selected.size(), 1);
    part_.end = wanted_->end;
    part_.operations =
        std::max({kLeastOperations, kOperationsForRow * wanted_->rows,
                  kOfAllRanks / ranks});
  }
  load();
}

void RowsAtEnd::load() {
  loaded_ = LoadedPart();
  if (wanted_) {
    loaded_ = loadPart(set_, part_, filter_);
  } else {
    loaded_.run = loadRun(set_);
  }
}

void RowsAtEnd::match(bool fold) {
  filter_.not_kept = &loaded_.not_kept;
  for (;;) {
    table_ = matchOperations(loaded_.run, filter_);
    if (fold) {
      table_ = foldGroups(loaded_.run, table_, GroupRoles(loaded_.run.groups),
                          filter_.not_kept);
    }
    if (!wanted_ || rowsAreKnown(table_, loaded_.not_kept, *wanted_)) return;
    part_.operations *= kGrowth;
    load();
  }
}

}  // namespace traced
