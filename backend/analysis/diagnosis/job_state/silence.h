// Silence is the time in which ranks are outside of operations and call none:
// they may compute, or hang where nothing is recorded.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"

namespace traced {

struct Silence {
  // Ascending.
  std::vector<std::uint32_t> ranks;
  // The shortest silence of these ranks, and their longest earlier pause
  // between two operations. Meaningless if `ranks` is empty.
  std::int64_t least_ns = 0;
  std::int64_t longest_before_ns = 0;
  // Whether one of them may be in a call that creates groups.
  bool may_create = false;
};

// Returns the running ranks that have been silent for at least 5 s and are not
// known to create a group. Both functions skip ranks whose traces may lack
// operations.
Silence silenceOfLive(const JobState& job);
// Returns the killed ranks that had been silent for at least 5 s, and longer
// than in any earlier pause between two operations. Skips those that are known
// to have been creating a group.
Silence silenceOfKilled(const JobState& job);

}  // namespace traced
