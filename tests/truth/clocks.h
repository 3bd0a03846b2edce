// HostClock maps true time to what a host's clocks show.

#pragma once

#include <cstdint>

#include "truth/program.h"

namespace traced::truth {

class HostClock {
 public:
  // `seconds_ago`: shifts the clock for a program that ran earlier.
  HostClock(const Program& program, std::uint32_t host,
            std::int64_t seconds_ago = 0);

  std::int64_t monotonicNs(std::int64_t true_ns) const;
  std::int64_t realtimeNs(std::int64_t true_ns) const;
  // Returns whether the clock stepped between the two times.
  bool steppedBetween(std::int64_t from_ns, std::int64_t to_ns) const;

 private:
  std::int64_t begin_ns_ = 0;
  std::int64_t drift_ppb_ = 0;
  std::int64_t step_at_ns_ = 0;
  std::int64_t step_ns_ = 0;
  std::int64_t wall_begin_ns_ = 0;
};

// Returns whether the clock of any host of the program stepped until then.
// Bounds on one side of a step contradict nothing, and statements about times
// between hosts assume that no clock stepped.
bool anyClockStepped(const Program& program, std::int64_t until_ns);

}  // namespace traced::truth
