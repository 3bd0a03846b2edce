// RunFacts collects what ran, where and when, from the headers of a run's
// streams. Differences between two sides are reported, because they may explain
// a change.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/compare/run_figures.h"
#include "analysis/stream/stream_table.h"

namespace traced {

class RunFacts {
 public:
  // Adds a stream. `header`: its complete header.
  void add(const StreamTable& table, const v1::Header& header);
  // Stores facts, stream ids, and gaps in `figures`.
  void finish(RunFigures& figures) const;

 private:
  std::map<std::string, std::set<std::string>> values_;
  std::vector<std::uint64_t> stream_ids_;
  std::vector<Gap> ends_;
  std::string job_;
  // Start of the earliest stream.
  std::int64_t started_realtime_ns_ = 0;
};

}  // namespace traced
