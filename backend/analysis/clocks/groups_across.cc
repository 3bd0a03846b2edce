#include "analysis/clocks/groups_across.h"

#include <algorithm>
#include <optional>

namespace traced {
namespace {

// More ranks than one host has.
constexpr std::uint32_t kMaxPerClock = 256;

}  // namespace

GroupsAcross::GroupsAcross(std::vector<RankClock> clocks)
    : clocks_(std::move(clocks)) {
  std::sort(clocks_.begin(), clocks_.end());
}

bool GroupsAcross::contains(std::uint32_t group, const RankList& members) {
  if (group >= known_.size()) known_.resize(group + 1, Known::kNotAsked);
  Known& known = known_[group];
  if (known == Known::kNotAsked) {
    known = areAcross(members) ? Known::kAcross : Known::kWithin;
  }
  return known == Known::kAcross;
}

bool GroupsAcross::areAcross(const RankList& members) const {
  if (members.size() > kMaxPerClock) return true;
  std::optional<std::uint32_t> first;
  bool across = false;
  members.forEach([&](std::uint32_t rank) {
    const auto found =
        std::lower_bound(clocks_.begin(), clocks_.end(), RankClock(rank, 0));
    if (found == clocks_.end() || found->first != rank) return;
    if (!first) first = found->second;
    across |= *first != found->second;
  });
  return across;
}

}  // namespace traced
