#include "analysis/whatif/prediction.h"

#include <cmath>
#include <iterator>

namespace traced::whatif {
namespace {

// Two-sided quantiles of 99.9 % for 1 to 10 degrees of freedom.
constexpr double kQuantiles[] = {636.619, 31.599, 12.924, 8.610, 6.869,
                                 5.959,   5.408,  5.041,  4.781, 4.587};
constexpr std::size_t kMinValues = 8;

// The same for the normal distribution.
constexpr double kNormalQuantile = 3.2905;

}  // namespace

double studentQuantile(std::size_t freedom) {
  if (freedom <= std::size(kQuantiles)) return kQuantiles[freedom - 1];
  // The expansion of Cornish and Fisher.
  const double z = kNormalQuantile;
  const auto n = static_cast<double>(freedom);
  const double z3 = z * z * z;
  const double z5 = z3 * z * z;
  const double z7 = z5 * z * z;
  return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

std::optional<PredictionInterval> predictNext(
    const std::vector<double>& values, const std::vector<double>& weights) {
  if (values.size() < kMinValues) return std::nullopt;
  const auto count = static_cast<double>(values.size());
  double weight = 0;
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    weight += weights[i];
    sum += weights[i] * values[i];
  }
  const double mean = sum / weight;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares += weights[i] * (values[i] - mean) * (values[i] - mean);
  }
  const double deviation = std::sqrt(squares / weight * count / (count - 1));
  const double half =
      studentQuantile(values.size() - 1) * deviation * std::sqrt(1 + 1 / count);
  return PredictionInterval{mean - half, mean + half};
}

}  // namespace traced::whatif
