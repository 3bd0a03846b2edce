// Rules about collectives that their ranks called differently. See
// docs/reference/diagnosis.md, "Matching".

#pragma once

#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/program/program_order.h"
#include "analysis/diagnosis/verdicts/verdict.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// Reports mismatches by group and sequence number. In a tie, names the ranks
// that left the program's order, if known.
std::vector<JobVerdict> findMismatches(const JobState& job,
                                       ProgramOrder& order);

// Reports all-to-alls whose ranks disagree on how much each sends to whom, at
// most one per group. The sums of CollectiveTable select suspects. Reads the
// traces again to find the pairs.
std::vector<JobVerdict> findSplitMismatches(const JobState& job,
                                            const TraceSet& set);

}  // namespace traced
