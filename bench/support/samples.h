// Collects times of single calls and computes their quantiles.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace traced::bench {

class Samples {
 public:
  explicit Samples(std::size_t expected) { values_.reserve(expected); }

  void add(std::int64_t ns) { values_.push_back(ns); }

  // Returns the quantile by nearest rank. A `share` of 1 is the maximum.
  double quantile(double share) {
    if (values_.empty()) return 0;
    const auto rank = static_cast<std::size_t>(
        share * static_cast<double>(values_.size() - 1) + 0.5);
    const auto at = values_.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(values_.begin(), at, values_.end());
    return static_cast<double>(*at);
  }
  double median() { return quantile(0.5); }

 private:
  std::vector<std::int64_t> values_;
};

}  // namespace traced::bench
