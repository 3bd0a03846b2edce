// Windows of time on one process's clock.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/stream/stream_table.h"

namespace traced {

struct TimeWindow {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

// Instants of a damaged file may be far apart. The end is not before the begin.
std::uint64_t lengthOf(const TimeWindow& window);

// From a stream's first operation to its last; empty where it has none.
TimeWindow operationSpan(const StreamTable& table);

// The part of a stretch that is in `span`; empty where an end of it was not
// observed.
TimeWindow cutTo(const TimeWindow& span, Instant begin, Instant end);

// Makes them sorted and apart from each other.
void unite(std::vector<TimeWindow>& windows);

// The time that windows cover together, added in about their order. Memory:
// 16 bytes for each that does not overlap the one before.
class CoveredTime {
 public:
  void add(const TimeWindow& window);
  std::uint64_t ns() &&;

 private:
  std::vector<TimeWindow> windows_;
};

}  // namespace traced
