// RankFigures holds a rank's communication totals and current state, the input
// of the metrics (docs/use/metrics.md).

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ring_io/chunks/operation_summary.h"

namespace traced {

struct RankFigures {
  static constexpr std::size_t kMaxReported = 16;

  // The time at which these values were taken.
  std::int64_t polled_ns = 0;

  // Totals since recording began. Durations that were not observed are not
  // included.
  std::uint64_t operations = 0;
  std::uint64_t bytes = 0;
  std::uint64_t failed = 0;
  std::uint64_t own_call_ns = 0;
  std::uint64_t completion_ns = 0;
  std::uint64_t exposed_wait_ns = 0;
  // Time in calls and waits, each instant once.
  std::uint64_t communication_ns = 0;
  // Number of asynchronous operations without a recorded wait, and the time
  // that the program may have waited for any of them.
  std::uint64_t waits_unknown = 0;
  std::uint64_t unseen_wait_ns = 0;
  // False while one of these operations has no recorded end.
  bool unseen_wait_is_bounded = true;
  std::uint64_t lost_records = 0;

  std::optional<std::int64_t> last_issue_ns;
  std::uint64_t in_flight = 0;
  // More operations may be in flight, because no record shows their ends.
  bool may_have_more_in_flight = false;
  // The oldest operations in flight, at most kMaxReported.
  std::vector<OperationSummary> oldest;

  // The current step, its begin, and the duration of the previous step.
  std::optional<std::uint64_t> step;
  std::int64_t step_began_ns = 0;
  std::optional<std::uint64_t> step_ns;
};

// One metric with its value. docs/use/metrics.md lists all.
struct Metric {
  const char* name;
  std::variant<std::uint64_t, double> value;
};

// Returns the known metrics. Unknown ones are omitted. `now_ns` (monotonic)
// determines the age of the figures.
std::vector<Metric> metricsOf(const RankFigures& figures, std::int64_t now_ns);

// Returns the metrics as a JSON object.
std::string metricsJson(const RankFigures& figures, std::int64_t now_ns);

// Returns the oldest operations in flight, and the age of the figures, as JSON.
std::string inFlightJson(const RankFigures& figures, std::int64_t now_ns);

}  // namespace traced
