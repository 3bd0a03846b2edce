// Selects one in so many operations, the same ones on all ranks.

#pragma once

#include <cstdint>

namespace traced {

// Returns whether the operation with this sequence number is selected: numbers
// 1, every + 1, 2 * every + 1 and so on. 0: the number is unknown; it is
// selected only if all are.
constexpr bool isOneIn(std::uint64_t every, std::uint64_t seq) {
  return seq == 0 ? every == 1 : (seq - 1) % every == 0;
}

}  // namespace traced
