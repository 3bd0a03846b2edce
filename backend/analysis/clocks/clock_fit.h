// Fits a line to the certified offsets of a clock.

#pragma once

#include <cstddef>

#include "absl/types/span.h"
#include "analysis/clocks/clock_bounds.h"
#include "traced/v1/clock.pb.h"

namespace traced {

// Sets offset, knots and rate of `model` from the segments of its clock, in
// order. Within each time window the narrowest bounds count, and narrow windows
// weigh more. The result never leaves the certified interval. Keeps about
// `max_knots` knots at most, at the narrowest intervals. Uses only the 64
// longest segments.
void fitClock(absl::Span<const ClockSegment> segments,
              std::uint64_t max_drift_ppb, std::size_t max_knots,
              v1::ClockModel& model);

}  // namespace traced
