// RankWaits collects when one rank waited, and for which other rank.

#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "analysis/job/time_windows.h"
#include "analysis/time_split/ready_table.h"
#include "analysis/time_split/time_split.h"

namespace traced {

// Windows are on the rank's own clock. Waits of overlapping operations count
// once, so no sum exceeds the elapsed time. Not thread safe. Memory: up to 64
// bytes per operation.
struct RankWaits {
  // Adds the wait of an operation, within `span`.
  void add(const ReadyTable::Stream& stream, std::size_t operation,
           const OperationSplit& split, const TimeWindow& span);

  // Waits for any rank, by estimated clocks.
  CoveredTime all;
  // Times that may be part of a wait or not, because of clock errors.
  CoveredTime uncertain;
  // Time for which all but one rank were ready, and the certain part of it. By
  // that one rank.
  struct ForOne {
    CoveredTime likely;
    CoveredTime certain;
  };
  absl::flat_hash_map<std::uint32_t, ForOne> for_one;
};

}  // namespace traced
