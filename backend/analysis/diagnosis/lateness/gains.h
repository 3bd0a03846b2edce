// What a run would gain without its stragglers.

#pragma once

#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/verdicts/verdict.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// Replays the run. Adds the ranks that cost most, sets what each straggler
// costs, puts the costliest of them first, and removes those that surely cost
// less than 1 % of the run. Changes nothing if the run cannot be replayed
// exactly, or is too large.
void findGains(const JobState& job, const TraceSet& set,
               std::vector<JobVerdict>& verdicts);

}  // namespace traced
