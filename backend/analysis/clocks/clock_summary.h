// ClockSummary describes the clocks of a run in one line.

#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/types/span.h"
#include "analysis/clocks/align_clocks.h"

namespace traced {

struct ClockSummary {
  // Number of distinct clocks; of these, how many were aligned by operations,
  // and how many only have their wall clock.
  std::uint64_t clocks = 0;
  std::uint64_t aligned = 0;
  std::uint64_t by_wall_clock = 0;
  // The largest error between instants of two ranks: the median over time, for
  // the pair of ranks with the largest error. Absent with fewer than two
  // aligned clocks.
  struct Certified {
    std::uint64_t within_ns = 0;
    std::pair<std::uint32_t, std::uint32_t> worst_pair;
  };
  std::optional<Certified> certified;
};

// Summarizes the clocks of the selected streams.
ClockSummary summarizeClocks(const TraceSet& set, const AlignedClocks& clocks);

// Returns a number per stream of the set. Streams that read one clock have
// equal numbers.
std::vector<std::uint32_t> clockIds(const TraceSet& set);

}  // namespace traced
