#include "analysis/statistics/shift.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "analysis/statistics/median.h"
#include "analysis/statistics/rank_counts.h"

namespace traced {
namespace {

// `candidates`: any order. The interval goes from the k-th smallest to the k-th
// largest of them, k as large as the confidence allows: what is further out has
// a rank statistic below k.
Shift shiftOf(std::vector<double> candidates, const std::vector<double>& cdf,
              double confidence) {
  std::sort(candidates.begin(), candidates.end());
  const double tail = (1 - confidence) / 2;
  std::size_t k = 1;
  while (2 * k < candidates.size() && cdf[k] <= tail) ++k;
  return {medianOfSorted(candidates), candidates[k - 1],
          candidates[candidates.size() - k], 1 - 2 * cdf[k - 1]};
}

}  // namespace

Shift pairedShift(const std::vector<double>& differences, double confidence) {
  std::vector<double> means;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    for (std::size_t j = i; j < differences.size(); ++j) {
      means.push_back((differences[i] + differences[j]) / 2);
    }
  }
  return shiftOf(std::move(means), signedRankCdf(differences.size()),
                 confidence);
}

Shift twoSampleShift(const std::vector<double>& before,
                     const std::vector<double>& after, double confidence) {
  std::vector<double> differences;
  for (const double from : before) {
    for (const double to : after) differences.push_back(to - from);
  }
  return shiftOf(std::move(differences),
                 rankSumCdf(before.size(), after.size()), confidence);
}

}  // namespace traced
