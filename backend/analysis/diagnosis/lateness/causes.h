// Finds why ranks were late, from samples of what their processes used.

#pragma once

#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/verdicts/verdict.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// Adds causes to the verdicts about late ranks. A cause explains a rank's
// lateness if the rank had it for kExplains of the lateness longer than each
// rank that was on time. Says nothing if samples are missing. See inquiry.h.
void findCauses(const JobState& job, const TraceSet& set,
                std::vector<JobVerdict>& verdicts);

// Returns a name for JSON, such as "garbage_collection".
const char* nameOf(LateCause cause);

}  // namespace traced
