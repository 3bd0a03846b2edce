// CertifiedTimes adds up times between ranks, each with its certified interval.

#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "analysis/figures/histogram.h"
#include "analysis/time_split/ready_table.h"

namespace traced {

// Returns 0 for negative times.
inline std::uint64_t notBelowZero(std::int64_t ns) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0));
}

// Returns the maximum error of a time.
inline std::uint64_t offByNs(const CertifiedTime& time) {
  return notBelowZero(std::max(time.high_ns - time.ns, time.ns - time.low_ns));
}

// Returns whether the error of a time is at most the time itself. A larger
// error makes it indistinguishable from 0. Also returns true for an exact 0.
inline bool isSurelyNotZero(const CertifiedTime& time) {
  return notBelowZero(time.ns) >= offByNs(time);
}

// Negative times count as 0: no time measured here can be negative. Not thread
// safe.
class CertifiedTimes {
 public:
  void add(CertifiedTime time);
  void add(const CertifiedTimes& other);

  // Internal representation. `low` and `high` stay empty while all times are
  // exact.
  struct Parts {
    Histogram estimate, low, high;
    std::uint64_t total_ns = 0;
    CertifiedTime max{0, 0, 0};
  };
  CertifiedTimes() = default;
  explicit CertifiedTimes(Parts parts) : parts_(std::move(parts)) {}
  const Parts& parts() const { return parts_; }

  std::uint64_t count() const { return parts_.estimate.count(); }
  std::uint64_t totalNs() const { return parts_.total_ns; }
  // Return percentiles and the maximum in ns, each with its bounds. The bounds
  // are the percentiles of all lower and of all upper bounds. 0 if empty.
  CertifiedTime p50() const { return percentile(50); }
  CertifiedTime p99() const { return percentile(99); }
  CertifiedTime max() const { return parts_.max; }

 private:
  // `percent`: 0 to 100.
  CertifiedTime percentile(unsigned percent) const;
  bool allExact() const { return parts_.high.count() == 0; }
  // Switches to keeping bounds, before the first inexact time is added.
  void keepBounds();

  Parts parts_;
};

}  // namespace traced
