// Reads a run into a ReplayJob.

#pragma once

#include <cstdint>

#include "analysis/job/run_filters.h"
#include "analysis/job/run_summary.h"
#include "analysis/reading/trace_set.h"
#include "analysis/whatif/replay_job.h"

namespace traced::whatif {

// Reads the operations of the selected streams that were issued in `window`,
// with several threads. Adds each stream to `summary`, and the number of
// operations outside to `outside`.
//
// Memory: about 40 bytes per event, and two tables of operations.
ReplayJob buildReplayJob(const TraceSet& set, const RunWindow& window,
                         RunSummary& summary, std::uint64_t& outside);

}  // namespace traced::whatif
