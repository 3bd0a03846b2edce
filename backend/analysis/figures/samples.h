// Times of many calls, summed or kept for percentiles.

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/figures/histogram.h"

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

// Times of which percentiles are wanted. Percentiles are by nearest rank: the
// smallest time that at least p % of all times do not exceed. Of up to
// kMaxExact times they are exact, of more within 0.4 % (Histogram), in
// whatever order and parts the times were added.
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
  // Calls visit(time, how many times), in no order.
  template <typename Visit>
  void each(Visit&& visit) const {
    for (const std::uint64_t ns : exact_) visit(ns, std::uint64_t{1});
    rounded_.each(visit);
  }

  TimeSummary summarize() &&;

 private:
  void round();
  void addRounded(std::uint64_t ns) {
    rounded_.add(ns);
    rounded_total_ns_ += ns;
  }

  // One of them is empty.
  std::vector<std::uint64_t> exact_;
  Histogram rounded_;
  std::uint64_t rounded_total_ns_ = 0;
};

// Values, and how often each was seen.
using Weighted = std::vector<std::pair<double, std::uint64_t>>;

// The median by nearest rank, 0 when there is no value. Sorts the values.
double medianOf(Weighted& values);

}  // namespace traced
