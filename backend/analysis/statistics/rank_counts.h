// The exact distributions of two rank statistics when there is no difference,
// from which the intervals of an estimate come. See scipy.stats.wilcoxon and
// mannwhitneyu, whose exact p-values are sums of the same.

#pragma once

#include <cstddef>
#include <vector>

namespace traced {

// P(W <= i) of Wilcoxon's signed-rank statistic of n differences, at i.
std::vector<double> signedRankCdf(std::size_t n);
// P(U <= i) of Mann and Whitney's statistic of two samples, at i.
std::vector<double> rankSumCdf(std::size_t m, std::size_t n);

}  // namespace traced
