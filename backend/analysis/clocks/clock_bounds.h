// Computes what operations prove about one clock: bounds of its offset at
// instants, and segments of time in which the bounds are consistent.

#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace traced {

// Default for the maximum drift between two clocks: 500 ppm, the fastest rate
// at which a kernel slews.
inline constexpr std::uint64_t kDefaultMaxDriftPpb = 500'000;

// Returns the maximum change of an offset over `distance_ns`.
std::int64_t driftNs(std::int64_t distance_ns, std::uint64_t max_drift_ppb);

// Returns whether bounds at two instants of a clock are compared: both must be
// in one of the 64 ms spans into which its time is divided. Between distant
// instants the clock may have stepped.
bool areWeighed(std::int64_t a_ns, std::int64_t b_ns);

// At `at_ns` of the clock, its offset is at most (`is_upper`) or at least
// `offset_ns`.
struct ClockBound {
  std::int64_t at_ns = 0;
  std::int64_t offset_ns = 0;
  bool is_upper = false;
};

// ClockBounds keeps the bounds that others do not imply, given the maximum
// drift of a clock.
//
// Memory: some dozen bounds per second of recording, however many operations.
class ClockBounds {
 public:
  explicit ClockBounds(std::uint64_t max_drift_ppb)
      : max_drift_ppb_(max_drift_ppb) {}

  // Add bounds in order of time. Out of order, more bounds are kept than
  // needed.
  void addUpper(std::int64_t at_ns, std::int64_t offset_ns);
  void addLower(std::int64_t at_ns, std::int64_t offset_ns);

  // Returns all kept bounds, sorted by time.
  std::vector<ClockBound> sorted() const;

 private:
  void add(std::vector<ClockBound>& kept, const ClockBound& bound);

  const std::uint64_t max_drift_ppb_;
  std::vector<ClockBound> upper_;
  std::vector<ClockBound> lower_;
};

// At `at_ns`, the offset is certainly in [low_ns, high_ns].
struct CertifiedOffset {
  std::int64_t at_ns = 0;
  std::int64_t low_ns = 0;
  std::int64_t high_ns = 0;

  std::int64_t width() const { return high_ns - low_ns; }
  std::int64_t centre() const { return low_ns + width() / 2; }
};

// A segment of time without a step of the clock. `certified` has one entry per
// bound, at the bound's instant, and includes everything that the segment's
// bounds imply there. It is empty if the bounds are all on one side.
struct ClockSegment {
  std::vector<ClockBound> bounds;
  std::vector<CertifiedOffset> certified;
};

// Splits `bounds`, sorted by time, into segments. Bounds that contradict each
// other at the maximum drift prove a step of the clock: one segment ends before
// it and the next begins after it. The time in between belongs to neither.
std::vector<ClockSegment> segmentBounds(absl::Span<const ClockBound> bounds,
                                        std::uint64_t max_drift_ppb);

}  // namespace traced
