// ResourceUse is how long a rank had each possible cause of lateness within
// some windows of time.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "analysis/diagnosis/verdicts/facts/times.h"
#include "analysis/job/covered_windows.h"
#include "analysis/stream/clock_cursor.h"
#include "analysis/stream/stream_table.h"

namespace traced {

inline constexpr std::size_t kLateCauses =
    static_cast<std::size_t>(LateCause::kGpuClocks) + 1;

// Times of one cause in ns. Both assume that it was within the windows, as far
// as it fits.
struct CauseTime {
  // What can explain lateness. Absent if the samples that tell it cover less
  // than kCovers of the windows.
  std::optional<std::int64_t> ns;
  // What may have been, also where samples do not tell. At least the part of
  // the windows that they do not cover.
  std::int64_t at_most_ns = 0;
};

struct ResourceUse {
  std::array<CauseTime, kLateCauses> times;
  // Samples cover the windows.
  bool is_known = false;
  // The process read or wrote much while the main thread slept in system calls.
  bool moves_bytes = false;

  static constexpr double kCovers = 0.9;

  const CauseTime& of(LateCause cause) const {
    return times[static_cast<std::size_t>(cause)];
  }
};

// Sums the samples of a stream. `clock` is that of the stream, the windows are
// on the common time line.
ResourceUse useWithin(const CoveredWindows& windows, const StreamTable& table,
                      const ClockCursor& clock);

}  // namespace traced
