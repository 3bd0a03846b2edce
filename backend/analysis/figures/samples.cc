#include "analysis/figures/samples.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace traced {
namespace {

// Returns a percentile and partly sorts `samples`: afterwards no sample before
// it is larger. `sorted` is the index returned by the previous, lower
// percentile, or 0, and is updated.
std::uint64_t percentileOf(std::vector<std::uint64_t>& samples,
                           std::size_t percent, std::size_t& sorted) {
  const auto from = samples.begin() + static_cast<std::ptrdiff_t>(sorted);
  sorted = nearestRank(samples.size(), percent);
  const auto place = samples.begin() + static_cast<std::ptrdiff_t>(sorted);
  std::nth_element(from, place, samples.end());
  return *place;
}

}  // namespace

void Samples::add(Samples&& other) {
  if (exact_.empty() && !isRounded()) {
    *this = std::move(other);
    return;
  }
  const bool fits = exact_.size() + other.exact_.size() <= kMaxExact;
  if (!fits || isRounded() || other.isRounded()) {
    round();
    other.round();
    rounded_.add(other.rounded_);
    rounded_total_ns_ += other.rounded_total_ns_;
    return;
  }
  exact_.insert(exact_.end(), other.exact_.begin(), other.exact_.end());
}

void Samples::round() {
  for (const std::uint64_t ns : std::exchange(exact_, {})) addRounded(ns);
}

TimeSummary Samples::summarize() && {
  TimeSummary summary;
  summary.count = count();
  if (summary.count == 0) return summary;
  summary.total_ns = rounded_total_ns_;
  for (const std::uint64_t ns : exact_) summary.total_ns += ns;
  summary.mean_ns = static_cast<double>(summary.total_ns) /
                    static_cast<double>(summary.count);
  if (isRounded()) {
    summary.p50_ns = rounded_.percentile(50);
    summary.p99_ns = rounded_.percentile(99);
    summary.max_ns = rounded_.most();
    return summary;
  }
  std::size_t sorted = 0;
  summary.p50_ns = percentileOf(exact_, 50, sorted);
  summary.p99_ns = percentileOf(exact_, 99, sorted);
  summary.max_ns = percentileOf(exact_, 100, sorted);
  return summary;
}

double medianOf(Weighted& values) {
  std::sort(values.begin(), values.end());
  std::uint64_t count = 0;
  for (const auto& [value, times] : values) count += times;
  std::uint64_t seen = 0;
  for (const auto& [value, times] : values) {
    seen += times;
    if (seen > nearestRank(count, 50)) return value;
  }
  return 0;
}

}  // namespace traced
