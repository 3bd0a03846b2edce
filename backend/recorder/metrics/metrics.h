// The figures of a rank as metrics. docs/metrics.md lists them.

#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "recorder/metrics/rank_figures.h"

namespace traced {

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
