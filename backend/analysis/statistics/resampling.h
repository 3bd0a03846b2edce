// How often chance alone would show as much: labels of runs are exchanged in
// every way, or in many ways at random, and each time it is looked what would
// have been found. Nothing is assumed of how times are distributed.
//
// Several columns (the parts of one key) are tested together: the statistic of
// a column is compared with the largest of all columns, which says how often
// chance shows as much anywhere in them (Westfall and Young's single-step
// maxT). The statistic is a monotone function of |t|: r = t^2 / (t^2 + df).

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace traced {

// Columns of equally many values.
using Columns = std::vector<std::vector<double>>;

// More ways than this are not all tried, but as many of them at random.
inline constexpr std::size_t kMaxResamplings = std::size_t{1} << 15;

// Differences of pairs, whose signs are flipped: a p-value per column.
std::vector<double> signFlipTest(const Columns& differences);
// Two samples, whose labels are exchanged.
std::vector<double> relabelTest(const Columns& before, const Columns& after);

// The smallest p that so many pairs, or runs a side, can give.
double leastSignFlipP(std::size_t pairs);
double leastRelabelP(std::size_t before, std::size_t after);

// Returns the p-values with Holm's correction, in the same order: of many tests
// in which nothing differs, the chance that any falls below alpha stays alpha,
// however they depend on each other.
std::vector<double> holmAdjusted(const std::vector<double>& p);

}  // namespace traced
