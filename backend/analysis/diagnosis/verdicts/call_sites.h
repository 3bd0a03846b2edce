// Finds the call sites of the operations that verdicts are about.

#pragma once

#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/verdicts/verdict.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// Returns the operation and its call site as part of a fact.
CallOn callOn(const OperationRef& operation);

// Fills JobVerdict::places of verdicts about an operation, or that start with
// one. Also adds call sites and handled exceptions to them. Reads the streams
// of a few named ranks again, and only if they may contain call sites.
void findCallSites(const JobState& job, const TraceSet& set,
                   std::vector<JobVerdict>& verdicts);

}  // namespace traced
