// Rules about groups that may not connect the ranks that they name, because
// their members did not make the same groups in the same order.

#pragma once

#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/verdicts/verdict.h"

namespace traced {

// Reports groups that have one c10d name and different members.
std::vector<JobVerdict> findSharedNames(const JobState& job);

// Reports collectives that ended on a rank before a member called them.
std::vector<JobVerdict> findEarlyEnds(const JobState& job);

// Lowers verdicts about groups whose wiring is in doubt to likely, and adds the
// reason. `verdicts`: all of the job, those of the rules above among them.
void doubtWiring(const JobState& job, std::vector<JobVerdict>& verdicts);

}  // namespace traced
