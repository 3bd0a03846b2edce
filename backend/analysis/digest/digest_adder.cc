#include "analysis/digest/digest_adder.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

namespace traced {
namespace {

// Where the figures of a way begin, and of which row each is.
struct UnseenFigures {
  int first = 0;
  UnseenCells cells;
};

UnseenFigures figuresOf(const UnseenWay& wanted,
                        absl::Span<const DigestRow> rows,
                        absl::Span<const GroupDefinition> groups) {
  UnseenFigures figures;
  for (const UnseenWay& way : unseenWays()) {
    figures.cells = unseenCells(way, rows, groups);
    if (way == wanted) break;
    figures.first += static_cast<int>(figures.cells.count);
  }
  return figures;
}

}  // namespace

void DigestAdder::add(std::vector<DigestRow> rows,
                      const v1::StreamDigest& digest) {
  RankTotals rank;
  rank.rank = table_.header.rank();
  rank.run_ns = table_.rankTimeNs();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    DigestRow& from = rows[i];
    ReportSums::Row& row = sums_.rowFor(keysOf(from), {place_, i});
    row.told.totals.add(from.totals);
    row.told.split.add(from.split);
    row.samples.add(std::move(from.samples));
    rank.totals.add(from.totals);
    const std::uint32_t group = groupOf(from);
    if (group != GroupCatalog::kNone) sums_.addToGroup(group, from.totals);
  }
  addUnseen(rows, digest);
  rank.totals.unseen_at_most_ns = digest.unseen_ns();
  if (digest.state_ns_size() == 5) {
    rank.states = {digest.state_ns(0), digest.state_ns(1), digest.state_ns(2),
                   digest.state_ns(3), digest.state_ns(4)};
  }
  sums_.addRank({place_, rank});
}

std::uint32_t DigestAdder::groupOf(const DigestRow& row) const {
  return row.group < groups_.size() ? groups_[row.group] : GroupCatalog::kNone;
}

std::vector<std::string> DigestAdder::keysOf(const DigestRow& row) const {
  std::vector<std::string> keys;
  for (const ReportKey key : plan_.by) {
    switch (key) {
      case ReportKey::kOp:
        keys.push_back(row.op);
        break;
      case ReportKey::kDtype:
        keys.push_back(row.dtype);
        break;
      case ReportKey::kSize:
        keys.push_back(row.size);
        break;
      case ReportKey::kRank:
        keys.push_back(absl::StrCat(table_.header.rank()));
        break;
      default:
        keys.push_back(plan_.roles ? plan_.roles->label(groupOf(row))
                                   : plan_.catalog.label(groupOf(row)));
    }
  }
  return keys;
}

UnseenWay DigestAdder::wayOf(bool by_role) const {
  const auto has = [this](ReportKey key) {
    return std::find(plan_.by.begin(), plan_.by.end(), key) != plan_.by.end();
  };
  using Groups = UnseenWay::Groups;
  const Groups told = by_role ? Groups::kRole : Groups::kEach;
  return {has(ReportKey::kGroup) ? told : Groups::kAny, has(ReportKey::kOp),
          has(ReportKey::kDtype), has(ReportKey::kSize)};
}

void DigestAdder::addUnseen(absl::Span<const DigestRow> rows,
                            const v1::StreamDigest& digest) {
  for (int i = 0; i < digest.group_unseen_ns_size(); ++i) {
    const auto group = static_cast<std::size_t>(i);
    if (group >= groups_.size()) break;
    CallTotals unseen;
    unseen.unseen_at_most_ns = digest.group_unseen_ns(i);
    sums_.addToGroup(groups_[group], unseen);
  }
  if (digest.row_unseen_ns_size() == 0) return;
  for (const bool by_role : {false, true}) {
    const UnseenFigures figures =
        figuresOf(wayOf(by_role), rows, table_.definitions.groups());
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      // The first row of those that were taken together.
      if (figures.cells.of_row[i] != next) continue;
      const int at = figures.first + static_cast<int>(next++);
      const std::uint32_t group = groupOf(rows[i]);
      const bool is_folded = plan_.roles && group != GroupCatalog::kNone &&
                             plan_.roles->isOfMany(group);
      if (is_folded != by_role || at >= digest.row_unseen_ns_size()) continue;
      sums_.rowFor(keysOf(rows[i]), {place_, i})
          .told.totals.unseen_at_most_ns += digest.row_unseen_ns(at);
    }
  }
}

}  // namespace traced
