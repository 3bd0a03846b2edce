#include "analysis/statistics/divisive.h"

#include <cmath>

namespace traced {
namespace {

// Of each length the distances of all pairs of the first values, added up.
std::vector<double> sumsFromFront(absl::Span<const double> values) {
  std::vector<double> sums(values.size() + 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    double to_all = 0;
    for (std::size_t j = 0; j < i; ++j)
      to_all += std::abs(values[j] - values[i]);
    sums[i + 1] = sums[i] + to_all;
  }
  return sums;
}

// 1/n, and 0 of 0: of a single value there are no pairs.
std::vector<double> reciprocals(std::size_t most) {
  std::vector<double> table(most + 1);
  for (std::size_t n = 1; n <= most; ++n) {
    table[n] = 1 / static_cast<double>(n);
  }
  return table;
}

}  // namespace

std::optional<Division> bestDivision(absl::Span<const double> values) {
  const std::size_t size = values.size();
  if (size < 2) return std::nullopt;
  const std::vector<double> before = sumsFromFront(values);
  const std::vector<double> inverse = reciprocals(size);
  // Of each u the pairs between t and there, added up as t comes closer.
  std::vector<double> behind(size + 1);
  std::optional<Division> best;
  for (std::size_t t = size - 1; t > 0; --t) {
    double to_all = 0;
    Division found{t, -1};
    for (std::size_t u = t + 1; u <= size; ++u) {
      if (u > t + 1) to_all += std::abs(values[t] - values[u - 1]);
      behind[u] += to_all;
      const double across = before[u] - before[t] - behind[u];
      const auto x = static_cast<double>(t), y = static_cast<double>(u - t);
      const double q = 2 * inverse[u] *
                       (across - y * inverse[t - 1] * before[t] -
                        x * inverse[u - t - 1] * behind[u]);
      if (u == t + 1 || q > found.qhat) found.qhat = q;
    }
    if (!best || found.qhat >= best->qhat) best = found;
  }
  return best;
}

}  // namespace traced
