// How far apart two samples are: the estimate of Hodges and Lehmann, with the
// interval that turns their rank test around. Neither is moved much by a run
// that went wrong.

#pragma once

#include <cstddef>
#include <vector>

namespace traced {

struct Shift {
  double estimate = 0;
  double low = 0;
  double high = 0;
  // How sure the interval is: at least what was asked for, unless there are too
  // few values for that.
  double coverage = 0;

  double halfWidth() const { return (high - low) / 2; }
};

// Of differences, at least one: the median of the means of all pairs of them,
// each with itself too. `confidence`: such as 0.95.
Shift pairedShift(const std::vector<double>& differences, double confidence);
// By how much `after` is above `before`: the median of all differences between
// a value of the one and a value of the other.
Shift twoSampleShift(const std::vector<double>& before,
                     const std::vector<double>& after, double confidence);

// The exact distributions of the two rank statistics without any difference:
// P(W <= i) of Wilcoxon's signed-rank statistic of n differences, and P(U <= i)
// of Mann and Whitney's statistic of two samples, at i.
std::vector<double> signedRankCdf(std::size_t n);
std::vector<double> rankSumCdf(std::size_t m, std::size_t n);

}  // namespace traced
