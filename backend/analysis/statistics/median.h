// Two kinds of median. Percentiles of samples are in
// analysis/figures/samples.h.

#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace traced {

// Returns the mean of the two middle values if their number is even, and 0 if
// empty.
inline double medianOfSorted(const std::vector<double>& sorted) {
  if (sorted.empty()) return 0;
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half]
                                : (sorted[half - 1] + sorted[half]) / 2;
}

// Same for values in any order.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return medianOfSorted(values);
}

// Returns the larger of the two middle values if their number is even. `values`
// must not be empty.
template <typename T>
T upperMedian(std::vector<T> values) {
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace traced
