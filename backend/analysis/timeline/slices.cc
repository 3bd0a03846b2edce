#include "analysis/timeline/slices.h"

#include <algorithm>
#include <tuple>

#include "analysis/timeline/lanes.h"

namespace traced {

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
