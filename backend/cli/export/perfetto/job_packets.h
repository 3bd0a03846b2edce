// The packets of what all ranks have in common: the process "job".

#pragma once

#include "analysis/timeline/job_timeline.h"
#include "cli/export/perfetto/rank_packets.h"
#include "cli/export/perfetto/sequence.h"
#include "cli/export/perfetto/tracks.h"

namespace traced::perfetto {

void writeJob(Sequence& to, Tracks& tracks, const JobView& view,
              const JobTimeline& line);

}  // namespace traced::perfetto
