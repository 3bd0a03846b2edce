// History is what a file of runs says: series of figures, a value per run.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/run_figures.h"

namespace traced {

// What a line says of the run itself.
struct HistoryRun {
  // Sixteen hexadecimal digits, the smallest id of its streams: no other run
  // has it.
  std::string id;
  // What the user called it, such as a commit.
  std::string label;
  std::string job;
  std::uint32_t attempt = 0;
  // Of the wall clock; 0 where it is not known.
  std::int64_t started_realtime_ns = 0;
  std::uint32_t world_size = 0;
  bool stepped = false;
  std::string steps;
  std::map<std::string, std::string> facts;
};

// The values of one part of one key. A run that lacks the figure is left out,
// and is no zero.
struct HistorySeries {
  // Indices into History::runs, rising, and the values there.
  std::vector<std::uint32_t> runs;
  std::vector<double> values;
};

struct HistoryKey {
  // Absent: the total.
  std::optional<RunKey> key;
  HistorySeries parts[kRunParts];
  // Of a wait for peers, by how much it can be off.
  HistorySeries uncertain;
  // Where the latest run calls it, "" where that is not known.
  std::string site;

  const HistorySeries& of(RunPart part) const {
    return parts[static_cast<std::size_t>(part)];
  }
};

struct History {
  // In the order in which they started.
  std::vector<HistoryRun> runs;
  // The total first.
  std::vector<HistoryKey> keys;
  // What was left out of the file, in sentences.
  std::vector<std::string> warnings;
};

}  // namespace traced
