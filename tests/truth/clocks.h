// The clock of a host: what it shows at a true instant.

#pragma once

#include <cstdint>

#include "truth/program.h"

namespace traced::truth {

class HostClock {
 public:
  // `seconds_ago`: of a program that ran before.
  HostClock(const Program& program, std::uint32_t host,
            std::int64_t seconds_ago = 0);

  std::int64_t monotonicNs(std::int64_t true_ns) const;
  std::int64_t realtimeNs(std::int64_t true_ns) const;
  // Whether it stepped between the two.
  bool steppedBetween(std::int64_t from_ns, std::int64_t to_ns) const;

 private:
  std::int64_t begin_ns_ = 0;
  std::int64_t drift_ppb_ = 0;
  std::int64_t step_at_ns_ = 0;
  std::int64_t step_ns_ = 0;
  std::int64_t wall_begin_ns_ = 0;
};

// Whether the clock of any of its hosts stepped until then. Bounds on one side
// of a step alone contradict nothing: what is said of times between hosts rests
// on there being none.
bool anyClockStepped(const Program& program, std::int64_t until_ns);

}  // namespace traced::truth
