// Ranks that called different things as the same collective. See
// docs/diagnosis.md, "Mismatches".

#pragma once

#include <vector>

#include "analysis/diagnosis/job_state.h"
#include "analysis/diagnosis/verdict.h"

namespace traced {

// By group and number.
std::vector<JobVerdict> findMismatches(const JobState& job);

}  // namespace traced
