// The line that is followed within what is certain of a clock's offset.

#pragma once

#include <cstddef>

#include "absl/types/span.h"
#include "analysis/clocks/clock_bounds.h"
#include "traced/v1/clock.pb.h"

namespace traced {

// Sets offset, knots and rate of `model` from the segments of its clock, in
// order. Of each window of time counts where the bounds leave least room, and
// windows with less room count more. Never leaves the certified interval.
// At most about `max_knots` knots, and those where the interval is narrowest;
// of more than 64 segments the longest have an answer.
void fitClock(absl::Span<const ClockSegment> segments,
              std::uint64_t max_drift_ppb, std::size_t max_knots,
              v1::ClockModel& model);

}  // namespace traced
