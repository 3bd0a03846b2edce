// JobTimeline is the part of a timeline that concerns all ranks together.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/timeline/rank_timeline.h"
#include "analysis/view/job_view.h"

namespace traced {

struct JobTimeline {
  // From the first rank's begin of a step to the last rank's end.
  std::vector<NamedSlice> steps;
  // Intervals in which all other ranks of a collective were ready and waited
  // for one.
  struct Latest {
    std::uint32_t row = 0;
    JobView::Latest latest;
    std::uint32_t lane = 0;
  };
  std::vector<Latest> latest;
  // Maximum error of a clock relative to the time line, at sampled instants.
  struct ClockError {
    std::string host;
    // See clockNameOf().
    std::string clock;
    // Instants of common time, and the error at each.
    std::vector<std::pair<std::int64_t, std::uint64_t>> within_ns;
  };
  std::vector<ClockError> clocks;
  // When to show each verdict; at the end of the run for verdicts without an
  // instant.
  std::vector<std::int64_t> verdicts_ns;
};

// Returns the errors of all clocks other than that of the time line.
std::vector<JobTimeline::ClockError> clockErrorsOf(const JobView& view);

// Combines the timelines of all ranks. `ranks`: one per stream of the view.
JobTimeline jobTimelineOf(const JobView& view,
                          const std::vector<RankTimeline>& ranks);

}  // namespace traced
