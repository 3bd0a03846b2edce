// Waits that follow each other at once count as one wait for several
// operations.

#pragma once

#include <vector>

#include "analysis/whatif/replay_job.h"

namespace traced::whatif {

// Maximum time between such waits.
inline constexpr float kAtOnceNs = 1'000;

// Returns whether an event continues the wait before it.
inline bool continuesWait(const Event& before, const Event& event) {
  return before.is_wait && !before.is_unseen && event.is_wait &&
         !event.is_unseen && event.gap_ns <= kAtOnceNs;
}

// Sorts the waits that continue each other, so that ranks that waited in
// another order, or whose operations had ended, are comparable. The time at
// which the last of them ends stays the same.
void sortWaits(const std::vector<Kind>& kinds, std::vector<Event>& events);

}  // namespace traced::whatif
