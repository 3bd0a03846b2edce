// Where in the program the operations that verdicts are about were called.

#pragma once

#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/verdicts/verdict.h"
#include "analysis/reading/trace_set.h"

namespace traced {

CallOn callOn(const OperationRef& operation);

// Fills JobVerdict::places of those that are about an operation, or that begin
// with one. Reads the streams of the ranks they name once more, of a few where
// there are many, and only where they may tell.
void findCallSites(const JobState& job, const TraceSet& set,
                   std::vector<JobVerdict>& verdicts);

}  // namespace traced
