// Puts clock errors that are known into traces whose ranks shared one clock,
// aligns them, and holds the result against the truth.

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/reading/trace_set.h"
#include "analysis/stream/stream_table.h"

namespace traced::testing {

// What a clock adds to the true time, at a true time.
using ClockError = std::function<std::int64_t(std::int64_t)>;

struct ClockScore {
  double max_error_us = 0;
  // Over all instants: root of the mean square, and half the widest interval.
  double rms_error_us = 0;
  double widest_us = 0;
  std::uint64_t instants = 0;
  // Instants whose truth is not in the certified interval; those without one.
  std::uint64_t outside = 0;
  std::uint64_t unanswered = 0;
};

// `tables` are the streams of `set`, read; `errors` one per stream, none for
// the first.
ClockScore scoreClocks(TraceSet set, const std::vector<StreamTable>& tables,
                       const std::vector<ClockError>& errors);

}  // namespace traced::testing
