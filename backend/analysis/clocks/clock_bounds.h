// What operations prove about one clock: bounds of its offset at instants, and
// stretches of time in which these contradict nothing.

#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace traced {

// How fast two clocks may part, unless said otherwise: what a kernel slews at
// most, 500 ppm.
inline constexpr std::uint64_t kDefaultMaxDriftPpb = 500'000;

// What an offset can have become `distance_ns` away, less what it was.
std::int64_t driftNs(std::int64_t distance_ns, std::uint64_t max_drift_ppb);

// Whether what is known at one instant of a clock is weighed against what is
// known at another one: far apart there may be a step of the clock between.
bool areWeighed(std::int64_t a_ns, std::int64_t b_ns);

// At `at_ns` of the clock its offset is not above (or not below) `offset_ns`.
struct ClockBound {
  std::int64_t at_ns = 0;
  std::int64_t offset_ns = 0;
  bool is_upper = false;
};

// ClockBounds keeps the bounds that say more than others do, given how fast a
// clock can drift.
//
// Memory: some dozen bounds per second of recording, whatever the operations.
class ClockBounds {
 public:
  explicit ClockBounds(std::uint64_t max_drift_ppb)
      : max_drift_ppb_(max_drift_ppb) {}

  // Best in the order of time; out of order more is kept than is needed.
  void addUpper(std::int64_t at_ns, std::int64_t offset_ns);
  void addLower(std::int64_t at_ns, std::int64_t offset_ns);

  // All that were kept, by time.
  std::vector<ClockBound> sorted() const;

 private:
  void add(std::vector<ClockBound>& kept, const ClockBound& bound);

  const std::uint64_t max_drift_ppb_;
  std::vector<ClockBound> upper_;
  std::vector<ClockBound> lower_;
};

// The offset at `at_ns` is certainly in [low_ns, high_ns].
struct CertifiedOffset {
  std::int64_t at_ns = 0;
  std::int64_t low_ns = 0;
  std::int64_t high_ns = 0;

  std::int64_t width() const { return high_ns - low_ns; }
  std::int64_t centre() const { return low_ns + width() / 2; }
};

// A stretch without a step. `certified` has an entry per bound, at its instant,
// with all that the bounds of the segment imply there; none where they bound
// one side only.
struct ClockSegment {
  std::vector<ClockBound> bounds;
  std::vector<CertifiedOffset> certified;
};

// `bounds` are in the order of time. Bounds that contradict each other, as no
// clock drifts that fast, prove a step between them: there one segment ends and
// the next begins, and what lies between the two is in neither.
std::vector<ClockSegment> segmentBounds(absl::Span<const ClockBound> bounds,
                                        std::uint64_t max_drift_ppb);

}  // namespace traced
