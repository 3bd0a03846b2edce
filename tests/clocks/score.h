// Adds known clock errors to traces whose ranks shared one clock, aligns them,
// and compares the result with the truth.

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/reading/trace_set.h"
#include "analysis/stream/stream_table.h"

namespace traced::testing {

// Returns what a clock adds to a true time, in ns.
using ClockError = std::function<std::int64_t(std::int64_t)>;

struct ClockScore {
  double max_error_us = 0;
  // Root mean square of the errors, and half the widest certified interval.
  double rms_error_us = 0;
  double widest_us = 0;
  std::uint64_t instants = 0;
  // Number of instants whose true time is outside the certified interval, and
  // of further instants without such an interval.
  std::uint64_t outside = 0;
  std::uint64_t unanswered = 0;
};

// Aligns the streams of `set` and returns the errors of their issue times.
// `tables` holds the loaded streams. `errors` has one entry per stream. It must
// be empty for the first, whose clock is the common time line.
ClockScore scoreClocks(TraceSet set, const std::vector<StreamTable>& tables,
                       const std::vector<ClockError>& errors);

}  // namespace traced::testing
