// Collectives that their ranks called differently. See
// docs/reference/diagnosis.md, "Matching".

#pragma once

#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/program/program_order.h"
#include "analysis/diagnosis/verdicts/verdict.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// By group and number. Where as many called one thing as another, those who
// left the order of the program are named, as far as that tells.
std::vector<JobVerdict> findMismatches(const JobState& job,
                                       ProgramOrder& order);

// All-to-alls whose ranks disagree on who sends how much to whom. The sums of
// CollectiveTable tell which; the traces are read again for the pairs.
//
// The first of each group.
std::vector<JobVerdict> findSplitMismatches(const JobState& job,
                                            const TraceSet& set);

}  // namespace traced
