// Sums times of many calls, or keeps them for percentiles.

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/figures/histogram.h"

namespace traced {

// Returns the index of a percentile among `count` sorted samples, by nearest
// rank: the smallest sample that at least `percent` % of all do not exceed.
// `count` must be positive.
constexpr std::size_t nearestRank(std::size_t count, std::size_t percent) {
  return (count * percent + 99) / 100 - 1;
}

// Number and sum of times, in nanoseconds.
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

// Describes a distribution of times. All fields are 0 if it is empty.
struct TimeSummary {
  std::uint64_t count = 0;
  std::uint64_t total_ns = 0;
  double mean_ns = 0;
  std::uint64_t p50_ns = 0;
  std::uint64_t p99_ns = 0;
  std::uint64_t max_ns = 0;
};

// Samples collects times for nearest-rank percentiles: the smallest time that
// at least p % of all do not exceed. Percentiles are exact for up to kMaxExact
// times, and within 0.4 % beyond (Histogram). The order in which times are
// added or merged does not matter.
class Samples {
 public:
  static constexpr std::size_t kMaxExact = std::size_t{1} << 20;

  void add(std::uint64_t ns) {
    if (exact_.size() < kMaxExact && !isRounded()) {
      exact_.push_back(ns);
    } else {
      round();
      addRounded(ns);
    }
  }
  void add(Samples&& other);

  std::uint64_t count() const { return exact_.size() + rounded_.count(); }
  bool isRounded() const { return rounded_.count() > 0; }
  // Calls visit(time, number of times) in no particular order.
  template <typename Visit>
  void each(Visit&& visit) const {
    for (const std::uint64_t ns : exact_) visit(ns, std::uint64_t{1});
    rounded_.each(visit);
  }

  // Sorts the samples partly, so they cannot be used afterwards.
  TimeSummary summarize() &&;

 private:
  void round();
  void addRounded(std::uint64_t ns) {
    rounded_.add(ns);
    rounded_total_ns_ += ns;
  }

  // At most one of `exact_` and `rounded_` is in use.
  std::vector<std::uint64_t> exact_;
  Histogram rounded_;
  std::uint64_t rounded_total_ns_ = 0;
};

// Pairs of a value and its number of occurrences.
using Weighted = std::vector<std::pair<double, std::uint64_t>>;

// Returns the nearest-rank median, or 0 if empty. Sorts the values.
double medianOf(Weighted& values);

}  // namespace traced
