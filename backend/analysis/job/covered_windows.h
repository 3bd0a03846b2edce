// CoveredWindows computes how much of an interval a set of time windows covers.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/job/time_windows.h"
#include "trace_io/wrapping.h"

namespace traced {

class CoveredWindows {
 public:
  // `windows` must be sorted and disjoint, and outlive this object.
  explicit CoveredWindows(const std::vector<TimeWindow>& windows);

  std::int64_t allNs() const { return before_ns_.back(); }
  // From the begin of the first to the end of the last. Empty without windows.
  TimeWindow span() const;
  // Returns how much of the time from `begin_ns` to `end_ns` they cover.
  std::int64_t within(std::int64_t begin_ns, std::int64_t end_ns) const {
    return begin_ns < end_ns
               ? wrappingDifference(until(end_ns), until(begin_ns))
               : 0;
  }

 private:
  std::int64_t until(std::int64_t ns) const;

  const std::vector<TimeWindow>* windows_;
  // The length of all windows before each of them, and of all.
  std::vector<std::int64_t> before_ns_;
};

}  // namespace traced
