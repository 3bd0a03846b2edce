// Permutation tests: how often chance alone shows a difference as large as the
// observed one. Run labels are exchanged in every way, or in many random ways,
// and the statistic is computed each time. No distribution of times is assumed.
//
// Several columns (the parts of one key) are tested together. Each column's
// statistic is compared with the largest over all columns: how often chance
// shows as much anywhere (Westfall and Young's single-step maxT). The statistic
// is a monotone function of |t|: r = t^2 / (t^2 + df).

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace traced {

// Columns of equal length.
using Columns = std::vector<std::vector<double>>;

// Beyond this number of ways, this many random ones are tried instead of all.
inline constexpr std::size_t kMaxResamplings = std::size_t{1} << 15;

// Tests differences of pairs by flipping their signs. Returns a p-value per
// column.
std::vector<double> signFlipTest(const Columns& differences);
// Tests two samples by exchanging their labels. Returns a p-value per column.
std::vector<double> relabelTest(const Columns& before, const Columns& after);

// Return the smallest p-value possible for this number of pairs, or of runs per
// side.
double minSignFlipP(std::size_t pairs);
double leastRelabelP(std::size_t before, std::size_t after);

// Returns the p-values with Holm's correction, in the same order. If no test
// has a real difference, the chance that any value is below alpha stays at most
// alpha, however the tests depend on each other.
std::vector<double> holmAdjusted(const std::vector<double>& p);

}  // namespace traced
