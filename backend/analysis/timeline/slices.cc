#include "analysis/timeline/slices.h"

#include <algorithm>
#include <tuple>

namespace traced {

std::uint32_t Lanes::place(std::int64_t begin_ns, std::int64_t end_ns) {
  while (!busy_.empty() && busy_.top().first <= begin_ns) {
    free_.push(busy_.top().second);
    busy_.pop();
  }
  std::uint32_t lane = count_;
  if (free_.empty()) {
    ++count_;
  } else {
    lane = free_.top();
    free_.pop();
  }
  busy_.push({end_ns, lane});
  return lane;
}

void placeInLanes(std::vector<NamedSlice>& slices) {
  std::stable_sort(slices.begin(), slices.end(),
                   [](const NamedSlice& a, const NamedSlice& b) {
                     return std::tie(a.begin_ns, a.end_ns, a.name) <
                            std::tie(b.begin_ns, b.end_ns, b.name);
                   });
  Lanes lanes;
  for (NamedSlice& slice : slices) {
    slice.lane = lanes.place(slice.begin_ns, slice.end_ns);
  }
}

}  // namespace traced
