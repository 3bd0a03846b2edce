#include "analysis/digest/unseen_ways.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "analysis/job/group_catalog.h"

namespace traced {
namespace {

// What tells groups of one role from others.
std::vector<std::string> roleOf(const GroupDefinition& group) {
  return {givenLabel(group), group.leg, absl::StrCat(group.members.size())};
}

std::vector<std::string> keyOf(const UnseenWay& way, const DigestRow& row,
                               absl::Span<const GroupDefinition> groups) {
  std::vector<std::string> key = {way.op ? row.op : "",
                                  way.dtype ? row.dtype : "",
                                  way.size ? row.size : ""};
  if (way.groups == UnseenWay::Groups::kAny) return key;
  if (row.group >= groups.size()) {
    key.push_back("-");
  } else if (way.groups == UnseenWay::Groups::kEach) {
    key.push_back(absl::StrCat(row.group));
  } else {
    for (std::string& part : roleOf(groups[row.group])) {
      key.push_back(std::move(part));
    }
  }
  return key;
}

}  // namespace

std::vector<UnseenWay> unseenWays() {
  std::vector<UnseenWay> ways;
  for (const auto groups : {UnseenWay::Groups::kEach, UnseenWay::Groups::kRole,
                            UnseenWay::Groups::kAny}) {
    for (unsigned keys = 0; keys < 8; ++keys) {
      ways.push_back(
          {groups, (keys & 1) != 0, (keys & 2) != 0, (keys & 4) != 0});
    }
  }
  return ways;
}

UnseenCells unseenCells(const UnseenWay& way, absl::Span<const DigestRow> rows,
                        absl::Span<const GroupDefinition> groups) {
  UnseenCells cells;
  absl::flat_hash_map<std::vector<std::string>, std::uint32_t> known;
  for (const DigestRow& row : rows) {
    if (row.totals.waits_unknown == 0) {
      cells.of_row.push_back(UnseenCells::kNoCell);
      continue;
    }
    const auto [place, is_new] =
        known.try_emplace(keyOf(way, row, groups), cells.count);
    cells.count += is_new;
    cells.of_row.push_back(place->second);
  }
  return cells;
}

}  // namespace traced
