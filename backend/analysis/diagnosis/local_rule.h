// Verdicts that one rank's trace proves by itself.

#pragma once

#include <vector>

#include "analysis/diagnosis/job_state.h"
#include "analysis/diagnosis/verdict.h"

namespace traced {

std::vector<JobVerdict> findLocalVerdicts(const JobState& job);

}  // namespace traced
