// Processes that failed by themselves: an exception, an exit code, a crash.

#pragma once

#include <vector>

#include "analysis/diagnosis/evidence/diagnosis_options.h"
#include "analysis/diagnosis/evidence/job_state.h"
#include "analysis/diagnosis/telling/verdict.h"

namespace traced {

// Returns a verdict if processes failed and none of `others` explains it. A
// failed or stuck operation usually raises an exception, which is then no
// finding of its own. Blames nobody for a signal that may have ended a hang.
std::vector<JobVerdict> findFailedProcesses(
    const JobState& job, const DiagnosisOptions& options,
    const std::vector<JobVerdict>& others);

}  // namespace traced
