// GroupsAcross tells which groups of a run have ranks that read different
// clocks. What the ranks of one clock do among themselves says nothing of how
// it stands to others, and it is most of what a job does.

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

  // Of a run of one clock.
  GroupsAcross() = default;
  // Which clock each rank reads; whatever numbers the clocks have.
  explicit GroupsAcross(std::vector<RankClock> clocks);

  // Whether the group of that index in a GroupCatalog may be one. A group that
  // is too large for the ranks of one clock is not looked through.
  bool contains(std::uint32_t group, const RankList& members);

 private:
  bool areAcross(const RankList& members) const;

  // By rank.
  std::vector<RankClock> clocks_;
  // By index of the catalog.
  enum class Known : std::uint8_t { kNotAsked, kAcross, kWithin };
  std::vector<Known> known_;
};

}  // namespace traced
