// Chooses ranks to show if showing all would be too many.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace traced {

enum class ChosenAs : std::uint8_t {
  kAsked,
  kCulprit,
  kSlowest,
  kQuickest,
  kMedian,
};

const char* nameOf(ChosenAs reason);

struct ChosenRank {
  // Index among all ranks.
  std::size_t index = 0;
  ChosenAs reason = ChosenAs::kAsked;
};

// Chooses the first culprits and the ranks that waited for others least (the
// slowest), most (the quickest) and median. Sorted by index, without
// duplicates. `waited_ns`: waiting time of each rank. `culprits`: indices of
// ranks.
std::vector<ChosenRank> chooseRanks(const std::vector<std::uint64_t>& waited_ns,
                                    const std::vector<std::size_t>& culprits);

}  // namespace traced
