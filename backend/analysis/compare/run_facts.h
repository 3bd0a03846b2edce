// What ran, where and when, as the headers of a run's streams tell it: a
// difference between two sides is told, as it may be why they differ.

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
  // `header`: of the stream, with all that is in it.
  void add(const StreamTable& table, const v1::Header& header);
  // Puts facts, streams, and what of them is a gap into `figures`.
  void finish(RunFigures& figures) const;

 private:
  std::map<std::string, std::set<std::string>> values_;
  std::vector<std::uint64_t> stream_ids_;
  std::vector<Gap> ends_;
  std::string job_;
  // Of the first stream that began.
  std::int64_t started_realtime_ns_ = 0;
};

}  // namespace traced
