// Estimates the shift between two samples by Hodges and Lehmann, with the
// confidence interval from the rank test. An outlier run has little effect on
// either.

#pragma once

#include <cstddef>
#include <vector>

namespace traced {

struct Shift {
  double estimate = 0;
  double low = 0;
  double high = 0;
  // Actual coverage of the interval. At least the requested confidence, unless
  // the samples are too small for it.
  double coverage = 0;

  double halfWidth() const { return (high - low) / 2; }
};

// Returns the median of the means of all pairs of differences, including each
// with itself. `differences` must not be empty. `confidence`: such as 0.95.
Shift pairedShift(const std::vector<double>& differences, double confidence);
// Returns how far `after` is above `before`: the median of all differences
// between a value of each. Neither may be empty.
Shift twoSampleShift(const std::vector<double>& before,
                     const std::vector<double>& after, double confidence);

// Exact distributions of two rank statistics if nothing differs, indexed by i:
// P(W <= i) for Wilcoxon's signed-rank statistic of n differences, and P(U <=
// i) for Mann and Whitney's statistic of samples of m and n values.
std::vector<double> signedRankCdf(std::size_t n);
std::vector<double> rankSumCdf(std::size_t m, std::size_t n);

}  // namespace traced
