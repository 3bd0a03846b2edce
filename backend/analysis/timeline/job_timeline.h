// JobTimeline is what a timeline shows of all ranks together.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/timeline/rank_timeline.h"
#include "analysis/view/job_view.h"

namespace traced {

struct JobTimeline {
  // From when the first rank begins a step to when the last one ends it.
  std::vector<NamedSlice> steps;
  // While all others were ready for a collective and waited for one rank.
  struct Latest {
    std::uint32_t row = 0;
    JobView::Latest latest;
    std::uint32_t lane = 0;
  };
  std::vector<Latest> latest;
  // How far a clock can be off that of the time line, at instants of it.
  struct ClockError {
    std::string host;
    // As clockNameOf() has it.
    std::string clock;
    std::vector<std::pair<std::int64_t, std::uint64_t>> within_ns;
  };
  std::vector<ClockError> clocks;
  // When each verdict is told: of those without an instant, the end of the run.
  std::vector<std::int64_t> verdicts_ns;
};

std::vector<JobTimeline::ClockError> clockErrorsOf(const JobView& view);

// `ranks`: of each stream of the view.
JobTimeline jobTimelineOf(const JobView& view,
                          const std::vector<RankTimeline>& ranks);

}  // namespace traced
