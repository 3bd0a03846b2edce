// Writes the packets of one rank, shown as a process with its tracks, and of
// the process "job", which shows what all ranks share.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/timeline/job_timeline.h"
#include "analysis/timeline/rank_timeline.h"
#include "cli/export/perfetto/sequence.h"

namespace traced::perfetto {

// The process id of the job. Ranks have the ids that follow. These are not ids
// of the host, which may repeat on several hosts. Perfetto's page takes the
// lowest ids for the kernel's.
inline constexpr std::int32_t kJobPid = 999;

// Facts about one row of a view.
struct RowFacts {
  std::optional<std::uint64_t> correlation;
  std::optional<JobView::Latest> latest;
  // Id of the arrow from a send to its receive. Absent unless both ends are
  // known.
  std::optional<std::uint64_t> flow;
};

// Writes the process of one rank. `rows` holds the facts of each row of the
// view.
void writeRank(Sequence& to, Tracks& tracks, const JobView& view,
               std::uint32_t stream, const RankTimeline& line,
               const std::vector<RowFacts>& rows);

// Writes the process "job".
void writeJob(Sequence& to, Tracks& tracks, const JobView& view,
              const JobTimeline& line);

}  // namespace traced::perfetto
