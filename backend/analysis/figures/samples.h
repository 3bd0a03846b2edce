// Times of many calls, summed or kept for percentiles.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace traced {

// Where the percentile of `count` samples, at least one, stands when they are
// sorted: by nearest rank, the smallest that at least `percent` % of all do not
// exceed.
constexpr std::size_t nearestRank(std::size_t count, std::size_t percent) {
  return (count * percent + 99) / 100 - 1;
}

// A number of times and their sum, in nanoseconds.
struct TimeSum {
  std::uint64_t count = 0;
  std::uint64_t total_ns = 0;

  void add(std::uint64_t ns) {
    ++count;
    total_ns += ns;
  }
  void add(const TimeSum& other) {
    count += other.count;
    total_ns += other.total_ns;
  }
};

// What a distribution of times is said to be. All 0 when there is none.
struct TimeSummary {
  std::uint64_t count = 0;
  std::uint64_t total_ns = 0;
  double mean_ns = 0;
  std::uint64_t p50_ns = 0;
  std::uint64_t p99_ns = 0;
  std::uint64_t max_ns = 0;
};

// Percentiles are exact, by nearest rank: the smallest sample that at least
// p % of all samples do not exceed. Reorders the samples.
TimeSummary summarize(std::vector<std::uint64_t>& samples_ns);

// The median by nearest rank, 0 when there is no sample. Reorders the samples.
double medianOf(std::vector<double>& samples);

}  // namespace traced
