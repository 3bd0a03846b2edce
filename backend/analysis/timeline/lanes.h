// Lanes keeps slices that overlap apart: each goes to the lowest lane that is
// free. Viewers show slices of one lane as a stack, and have no other way to
// show two at a time.

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace traced {

class Lanes {
 public:
  // Slices come in the order in which they begin. One that ends as the next
  // begins has left its lane.
  std::uint32_t place(std::int64_t begin_ns, std::int64_t end_ns);
  // How many there are.
  std::uint32_t count() const { return count_; }

 private:
  using Busy = std::pair<std::int64_t, std::uint32_t>;  // until when, and which

  template <typename T>
  using Lowest = std::priority_queue<T, std::vector<T>, std::greater<T>>;

  Lowest<Busy> busy_;
  Lowest<std::uint32_t> free_;
  std::uint32_t count_ = 0;
};

// Of slices that were placed.
template <typename Slices>
std::uint32_t lanesOf(const Slices& slices) {
  std::uint32_t lanes = 0;
  for (const auto& slice : slices) lanes = std::max(lanes, slice.lane + 1);
  return lanes;
}

}  // namespace traced
