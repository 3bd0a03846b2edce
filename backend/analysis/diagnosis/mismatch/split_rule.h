// All-to-alls whose ranks disagree on who sends how much to whom. The sums of
// CollectiveTable tell which; the traces are read again for the pairs.

#pragma once

#include <vector>

#include "analysis/diagnosis/evidence/job_state.h"
#include "analysis/diagnosis/telling/verdict.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// The first of each group.
std::vector<JobVerdict> findSplitMismatches(const JobState& job,
                                            const TraceSet& set);

}  // namespace traced
