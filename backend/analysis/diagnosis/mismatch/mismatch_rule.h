// Ranks that called different things as the same collective. See
// docs/diagnosis.md, "Mismatches".

#pragma once

#include <vector>

#include "analysis/diagnosis/evidence/job_state.h"
#include "analysis/diagnosis/program/program_order.h"
#include "analysis/diagnosis/telling/verdict.h"

namespace traced {

// By group and number. Where as many called one thing as another, those who
// left the order of the program are named, as far as that tells.
std::vector<JobVerdict> findMismatches(const JobState& job,
                                       ProgramOrder& order);

}  // namespace traced
