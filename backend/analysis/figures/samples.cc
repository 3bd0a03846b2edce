#include "analysis/figures/samples.h"

#include <algorithm>
#include <cstddef>

namespace traced {
namespace {

// Partly sorts: after this everything before the result is not larger.
template <typename T>
T percentileOf(std::vector<T>& samples, std::size_t percent) {
  const auto place = samples.begin() + static_cast<std::ptrdiff_t>(nearestRank(
                                           samples.size(), percent));
  std::nth_element(samples.begin(), place, samples.end());
  return *place;
}

}  // namespace

TimeSummary summarize(std::vector<std::uint64_t>& samples_ns) {
  TimeSummary summary;
  if (samples_ns.empty()) return summary;
  summary.count = samples_ns.size();
  for (const std::uint64_t ns : samples_ns) summary.total_ns += ns;
  summary.mean_ns = static_cast<double>(summary.total_ns) /
                    static_cast<double>(summary.count);
  summary.p50_ns = percentileOf(samples_ns, 50);
  summary.p99_ns = percentileOf(samples_ns, 99);
  summary.max_ns = percentileOf(samples_ns, 100);
  return summary;
}

double medianOf(std::vector<double>& samples) {
  return samples.empty() ? 0 : percentileOf(samples, 50);
}

}  // namespace traced
