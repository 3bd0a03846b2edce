// When the calls of a rank began and when they gave the program back its
// thread.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/timeline/rank_timeline.h"
#include "analysis/view/job_view.h"

namespace traced::otf2 {

struct TimedCall {
  const OperationSlice* slice = nullptr;
  // Id of the thread; 0: not known.
  std::uint32_t thread = 0;
  // Those of a thread that overlap are in lanes, of which a usual one has one.
  std::uint32_t lane = 0;
  // kNeverNs: the thread was in it to the end, as far as is known.
  std::int64_t end_ns = 0;
  // Whether the end is known.
  bool return_seen = false;
  // From when to when the program waited for it later.
  std::optional<NamedSlice> wait;
};

// In the order in which they began.
std::vector<TimedCall> callsOf(const JobView& view, std::uint32_t stream,
                               const RankTimeline& line);

}  // namespace traced::otf2
