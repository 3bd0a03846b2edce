// What failed is told, also where no rule finds out why.

#pragma once

#include <optional>
#include <vector>

#include "analysis/diagnosis/job_state.h"
#include "analysis/diagnosis/verdict.h"

namespace traced {

// Absent when nothing failed, or one of the verdicts tells of it.
std::optional<JobVerdict> untoldFailures(
    const JobState& job, const std::vector<JobVerdict>& verdicts);

}  // namespace traced
