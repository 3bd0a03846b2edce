// ClockSummary is what one line says of the clocks of a run.

#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/types/span.h"
#include "analysis/clocks/align_clocks.h"

namespace traced {

struct ClockSummary {
  // How many clocks the streams have, and how many of them were aligned by
  // operations, or are placed by wall clocks only.
  std::uint64_t clocks = 0;
  std::uint64_t aligned = 0;
  std::uint64_t by_wall_clock = 0;
  // How far two ranks' instants can be off each other, by the median over time,
  // for the pair of ranks where that is worst. Absent without two aligned
  // clocks.
  struct Certified {
    std::uint64_t within_ns = 0;
    std::pair<std::uint32_t, std::uint32_t> worst_pair;
  };
  std::optional<Certified> certified;
};

// Of the selected streams.
ClockSummary summarizeClocks(const TraceSet& set, const AlignedClocks& clocks);

// A number per stream of the set, equal for streams that read one clock.
std::vector<std::uint32_t> clockIds(const TraceSet& set);

}  // namespace traced
