// Rules about groups that may not connect the ranks they name, because the
// members did not create the same groups in the same order.

#pragma once

#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/verdicts/verdict.h"

namespace traced {

// Reports groups with equal c10d names and different members.
std::vector<JobVerdict> findSharedNames(const JobState& job);

// Reports collectives that ended on a rank before a member called them.
std::vector<JobVerdict> findEarlyEnds(const JobState& job);

// Weakens verdicts about groups with doubtful wiring to likely, and adds the
// reason. `verdicts` must hold all verdicts of the job, including those of the
// rules above.
void doubtWiring(const JobState& job, std::vector<JobVerdict>& verdicts);

}  // namespace traced
