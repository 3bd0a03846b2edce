// RankFigures is what a rank has communicated so far, and what it is in: what
// metrics (docs/use/metrics.md) are made of.

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

  // When all of this was so.
  std::int64_t polled_ns = 0;

  // Since recording began. Sums of what was not observed lack it.
  std::uint64_t operations = 0;
  std::uint64_t bytes = 0;
  std::uint64_t failed = 0;
  std::uint64_t own_call_ns = 0;
  std::uint64_t completion_ns = 0;
  std::uint64_t exposed_wait_ns = 0;
  // Operations under way when their call returned, of which no wait was seen,
  // and the time in which the program may have waited for any of them.
  std::uint64_t waits_unknown = 0;
  std::uint64_t unseen_wait_ns = 0;
  // False while no record shows the end of one of them.
  bool unseen_wait_is_bounded = true;
  std::uint64_t lost_records = 0;

  std::optional<std::int64_t> last_issue_ns;
  std::uint64_t in_flight = 0;
  // No record shows the ends of some operations: more may be in flight.
  bool may_have_more_in_flight = false;
  // The oldest of them.
  std::vector<OperationSummary> oldest;

  // The step that the rank is in, and how long the one before took.
  std::optional<std::uint64_t> step;
  std::int64_t step_began_ns = 0;
  std::optional<std::uint64_t> step_ns;
};

// The figures of a rank as metrics. docs/use/metrics.md lists them.
struct Metric {
  const char* name;
  std::variant<std::uint64_t, double> value;
};

// Without those that are not known.
std::vector<Metric> metricsOf(const RankFigures& figures, std::int64_t now_ns);

// The same as a JSON object.
std::string metricsJson(const RankFigures& figures, std::int64_t now_ns);

// The oldest operations without an end so far.
std::string inFlightJson(const RankFigures& figures, std::int64_t now_ns);

}  // namespace traced
