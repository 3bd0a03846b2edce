// Which ranks are shown where all of them would be too many.

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
  // Among all of them.
  std::size_t index = 0;
  ChosenAs reason = ChosenAs::kAsked;
};

// The first of the culprits, and the ranks that waited for others least (the
// slowest), most (the quickest) and in between; by index, each once.
// `waited_ns`: of each rank. `culprits`: indices.
std::vector<ChosenRank> chooseRanks(const std::vector<std::uint64_t>& waited_ns,
                                    const std::vector<std::size_t>& culprits);

}  // namespace traced
