// Time windows on one process's clock.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/stream/stream_table.h"

namespace traced {

struct TimeWindow {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

// Returns the length in ns. Unsigned, because instants of a damaged file may be
// far apart. The end must not be before the beginning.
std::uint64_t lengthOf(const TimeWindow& window);

// Returns the time from a stream's first issue to the last recorded instant of
// its operations. An operation under way lasts until the end of the stream.
// Empty without operations.
TimeWindow operationSpan(const StreamTable& table);

// Returns an interval, empty if an end of it was not observed or the ends are
// in the wrong order.
TimeWindow windowBetween(Instant begin, Instant end);

// Returns the part of an interval within `span`. Empty if an end of it was not
// observed.
TimeWindow cutTo(const TimeWindow& span, Instant begin, Instant end);

// Sorts windows and merges those that overlap or touch.
void unite(std::vector<TimeWindow>& windows);

// CoveredTime computes the total time that windows cover. Fastest if they are
// added roughly in order. Memory: 16 bytes per window that does not overlap the
// previous one.
class CoveredTime {
 public:
  void add(const TimeWindow& window);
  // Returns the total in ns. Call it once.
  std::uint64_t ns() &&;
  // Returns the covered windows, sorted and disjoint. Call it once.
  std::vector<TimeWindow> windows() &&;

 private:
  std::vector<TimeWindow> windows_;
};

}  // namespace traced
