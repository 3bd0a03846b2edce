// The series of a history made ready to be judged: of runs that can be compared
// with the latest, and with what counts as nothing in them.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/history/history.h"
#include "analysis/history/history_limits.h"

namespace traced {

struct ReadySeries {
  // Index into History::keys.
  std::size_t key = 0;
  RunPart part = RunPart::kStep;
  HistorySeries of;
  // Of a step, in the median run, what all calls of a rank take: of times.
  double share = 0;
  // What takes less than a thousandth of a step counts as that much: ns of the
  // figure, 0 of what is no time.
  double least = 0;
  // Nothing is to be tested: all values are alike, or count as nothing.
  bool is_constant = false;
  bool is_small = false;
};

struct ReadyHistory {
  // Indices into History::runs, of those that are compared.
  std::vector<std::uint32_t> runs;
  std::vector<ReadySeries> series;
  // Why runs were left out.
  std::vector<std::string> notes;
};

// Runs of as many ranks and of the same steps as the latest run are compared,
// as `tracectl compare` has it.
ReadyHistory makeReady(const History& history, const HistoryLimits& limits);

}  // namespace traced
