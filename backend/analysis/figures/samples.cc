#include "analysis/figures/samples.h"

#include <algorithm>
#include <cstddef>

namespace traced {
namespace {

// Partly sorts: after this everything before the result is not larger.
// `sorted`: as far as that holds already, to the place that was sought before.
template <typename T>
T percentileOf(std::vector<T>& samples, std::size_t percent,
               std::size_t& sorted) {
  const auto from = samples.begin() + static_cast<std::ptrdiff_t>(sorted);
  sorted = nearestRank(samples.size(), percent);
  const auto place = samples.begin() + static_cast<std::ptrdiff_t>(sorted);
  std::nth_element(from, place, samples.end());
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
  std::size_t sorted = 0;
  summary.p50_ns = percentileOf(samples_ns, 50, sorted);
  summary.p99_ns = percentileOf(samples_ns, 99, sorted);
  summary.max_ns = percentileOf(samples_ns, 100, sorted);
  return summary;
}

double medianOf(std::vector<double>& samples) {
  std::size_t sorted = 0;
  return samples.empty() ? 0 : percentileOf(samples, 50, sorted);
}

}  // namespace traced
