// What failed is told, also where no rule finds out why.

#pragma once

#include <optional>
#include <vector>

#include "analysis/diagnosis/evidence/job_state.h"
#include "analysis/diagnosis/telling/verdict.h"

namespace traced {

// Absent when nothing failed, or one of the verdicts tells of it.
std::optional<JobVerdict> untoldFailures(
    const JobState& job, const std::vector<JobVerdict>& verdicts);

}  // namespace traced
