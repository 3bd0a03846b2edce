// CertifiedTimes adds up times between ranks, each with its certified interval.

#pragma once

#include <algorithm>
#include <cstdint>

#include "analysis/figures/histogram.h"
#include "analysis/time_split/arrival_table.h"

namespace traced {

inline std::uint64_t notBelowZero(std::int64_t ns) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0));
}

// By how much a time can be off.
inline std::uint64_t offByNs(const CertifiedTime& time) {
  return notBelowZero(std::max(time.high_ns - time.ns, time.ns - time.low_ns));
}

// A time below 0 is 0: none of what is measured here can be.
class CertifiedTimes {
 public:
  void add(CertifiedTime time);

  std::uint64_t count() const { return estimate_.count(); }
  std::uint64_t totalNs() const { return total_ns_; }
  std::uint64_t maxNs() const { return max_ns_; }
  std::uint64_t p99Ns() const { return estimate_.percentile(99); }
  // The interval of the median is that between the medians of the least and of
  // the most that each time can be.
  CertifiedTime p50() const;
  // How wide that is: a median below it is not told from 0.
  std::uint64_t certifiedWithinNs() const;

 private:
  Histogram estimate_;
  // Empty as long as all times are exact.
  Histogram low_, high_;
  std::uint64_t total_ns_ = 0;
  std::uint64_t max_ns_ = 0;
};

}  // namespace traced
