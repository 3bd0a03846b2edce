// Arrivals are the instants at which ranks were ready for the collectives of a
// group: at the call, or when the operation before it in the group had ended.

#pragma once

#include <cstdint>
#include <vector>

namespace traced {

struct Arrival {
  std::uint64_t seq = 0;
  // On the common time line.
  std::int64_t ready_ns = 0;
  std::uint32_t rank = 0;
};

// Of some collectives of a group, those of all ranks, by rank.
using Arrivals = std::vector<Arrival>;

}  // namespace traced
