// The median as statistics means it: of an even number of values the mean of
// the two in the middle.

#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace traced {

// 0 of none.
inline double medianOfSorted(const std::vector<double>& sorted) {
  if (sorted.empty()) return 0;
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half]
                                : (sorted[half - 1] + sorted[half]) / 2;
}

inline double middleOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return medianOfSorted(values);
}

}  // namespace traced
