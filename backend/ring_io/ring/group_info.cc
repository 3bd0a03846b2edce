#include "ring_io/ring/group_info.h"

#include <cstddef>

namespace traced {

std::vector<RankRange> toRanges(const std::vector<std::uint32_t>& members) {
  std::vector<RankRange> ranges;
  std::size_t i = 0;
  while (i < members.size()) {
    RankRange range{members[i], 1, 1};
    if (i + 1 < members.size()) {
      range.stride = static_cast<std::int32_t>(members[i + 1] - members[i]);
      const auto step = static_cast<std::uint32_t>(range.stride);
      while (i + range.count < members.size() &&
             members[i + range.count] == members[i] + range.count * step) {
        ++range.count;
      }
    }
    i += range.count;
    ranges.push_back(range);
  }
  return ranges;
}

}  // namespace traced
