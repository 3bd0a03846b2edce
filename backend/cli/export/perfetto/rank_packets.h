// The packets of one rank, a process with its tracks, and of what all ranks
// have in common: the process "job".

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/timeline/job_timeline.h"
#include "analysis/timeline/rank_timeline.h"
#include "cli/export/perfetto/sequence.h"

namespace traced::perfetto {

// Pids are no processes of the host's, whose numbers may be the same on
// several: that of the job comes first, then the ranks. The lowest numbers are
// the kernel's own to the page.
inline constexpr std::int32_t kJobPid = 999;

// What is known of each row of a view.
struct RowFacts {
  std::optional<std::uint64_t> correlation;
  std::optional<JobView::Latest> latest;
  // Of a message with both its ends: the arrow between them.
  std::optional<std::uint64_t> flow;
};

void writeRank(Sequence& to, Tracks& tracks, const JobView& view,
               std::uint32_t stream, const RankTimeline& line,
               const std::vector<RowFacts>& rows);

void writeJob(Sequence& to, Tracks& tracks, const JobView& view,
              const JobTimeline& line);

}  // namespace traced::perfetto
