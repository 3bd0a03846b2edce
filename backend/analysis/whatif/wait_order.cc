#include "analysis/whatif/wait_order.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace traced::whatif {

void sortWaits(const std::vector<Kind>& kinds, std::vector<Event>& events) {
  const auto place = [&](const Event& event) {
    return kinds[event.kind].place;
  };
  for (std::size_t first = 0; first < events.size();) {
    std::size_t end = first + 1;
    while (end < events.size() && continuesWait(events[end - 1], events[end])) {
      ++end;
    }
    if (end - first > 1) {
      float gap_ns = 0;
      float may_wait_ns = 0;
      for (std::size_t i = first; i < end; ++i) {
        gap_ns += std::exchange(events[i].gap_ns, 0.0F);
        may_wait_ns += std::exchange(events[i].may_wait_ns, 0.0F);
      }
      std::stable_sort(
          events.begin() + static_cast<std::ptrdiff_t>(first),
          events.begin() + static_cast<std::ptrdiff_t>(end),
          [&](const Event& a, const Event& b) { return place(a) < place(b); });
      events[first].gap_ns = gap_ns;
      events[first].may_wait_ns = may_wait_ns;
    }
    first = end;
  }
}

}  // namespace traced::whatif
