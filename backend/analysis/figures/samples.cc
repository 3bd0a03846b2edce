#include "analysis/figures/samples.h"

#include <algorithm>
#include <cstddef>

namespace traced {
namespace {

// Partly sorts: after this everything before the result is not larger.
template <typename T>
T nearestRank(std::vector<T>& samples, std::size_t percent) {
  const std::size_t rank = (samples.size() * percent + 99) / 100;
  const auto place = samples.begin() + static_cast<std::ptrdiff_t>(rank - 1);
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
  summary.p50_ns = nearestRank(samples_ns, 50);
  summary.p99_ns = nearestRank(samples_ns, 99);
  summary.max_ns = nearestRank(samples_ns, 100);
  return summary;
}

double medianOf(std::vector<double>& samples) {
  return samples.empty() ? 0 : nearestRank(samples, 50);
}

}  // namespace traced
