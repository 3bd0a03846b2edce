#include "analysis/statistics/shift.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "analysis/statistics/median.h"

namespace traced {
namespace {

std::vector<double> summedUp(std::vector<double> part) {
  std::partial_sum(part.begin(), part.end(), part.begin());
  return part;
}

// `candidates` may be in any order. The interval extends from the k-th smallest
// to the k-th largest candidate, with the largest k that the confidence allows:
// a shift outside it has a rank statistic below k.
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

std::vector<double> signedRankCdf(std::size_t n) {
  // Each rank is either part of the sum or not.
  std::vector<double> part(n * (n + 1) / 2 + 1, 0.0);
  part[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    for (std::size_t sum = part.size(); sum-- > 0;) {
      const double with = sum >= rank ? part[sum - rank] : 0;
      part[sum] = (part[sum] + with) / 2;
    }
  }
  return summedUp(std::move(part));
}

std::vector<double> rankSumCdf(std::size_t m, std::size_t n) {
  // The largest value is either in the first sample, and then above all j
  // values of the second, or it is in the second. `rows[j]`: for i values of
  // the first and j of the second.
  std::vector<std::vector<double>> rows(n + 1,
                                        std::vector<double>(m * n + 1, 0.0));
  for (std::vector<double>& row : rows) row[0] = 1;
  for (std::size_t i = 1; i <= m; ++i) {
    for (std::size_t j = 1; j <= n; ++j) {
      const double of_first =
          static_cast<double>(i) / static_cast<double>(i + j);
      std::vector<double>& row = rows[j];  // still for i - 1 values
      for (std::size_t u = m * n + 1; u-- > 0;) {
        const double before = u >= j ? row[u - j] : 0;
        row[u] = of_first * before + (1 - of_first) * rows[j - 1][u];
      }
    }
  }
  return summedUp(rows[n]);
}

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
