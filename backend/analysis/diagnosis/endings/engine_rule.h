// An engine that gives up says so; where no rule finds out why, this is told.

#pragma once

#include <vector>

#include "analysis/diagnosis/evidence/job_state.h"
#include "analysis/diagnosis/telling/verdict.h"

namespace traced {

// None where one of the `others` tells why something went wrong.
std::vector<JobVerdict> findEngineFailures(
    const JobState& job, const std::vector<JobVerdict>& others);

}  // namespace traced
