#include "analysis/timeline/lanes.h"

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

}  // namespace traced
