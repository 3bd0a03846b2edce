// GroupsAcross finds groups whose ranks read different clocks. Operations
// within one clock, the majority in most jobs, prove nothing about its offset
// to others.

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/stream/rank_list.h"

namespace traced {

// Not thread safe.
class GroupsAcross {
 public:
  using RankClock = std::pair<std::uint32_t, std::uint32_t>;

  // For a run with a single clock.
  GroupsAcross() = default;
  // `clocks` has the clock of each rank. Clock numbers are arbitrary.
  explicit GroupsAcross(std::vector<RankClock> clocks);

  // Returns whether `members`, the group with this GroupCatalog index, may read
  // different clocks. Large groups are assumed to do so without a search.
  bool contains(std::uint32_t group, const RankList& members);

 private:
  bool areAcross(const RankList& members) const;

  // Sorted by rank.
  std::vector<RankClock> clocks_;
  // By GroupCatalog index.
  enum class Known : std::uint8_t { kNotAsked, kAcross, kWithin };
  std::vector<Known> known_;
};

}  // namespace traced
