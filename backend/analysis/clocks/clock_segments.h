// Cuts the bounds of a clock into stretches of time that contradict nothing,
// and says how far the offset is certain within each.

#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "analysis/clocks/clock_bounds.h"

namespace traced {

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
