// Verdicts that one rank's trace proves by itself.

#pragma once

#include <vector>

#include "analysis/diagnosis/evidence/job_state.h"
#include "analysis/diagnosis/telling/verdict.h"

namespace traced {

std::vector<JobVerdict> findLocalVerdicts(const JobState& job);

}  // namespace traced
