// Processes that failed by themselves: an exception, an exit code, a crash.

#pragma once

#include <vector>

#include "analysis/diagnosis/evidence/diagnosis_options.h"
#include "analysis/diagnosis/evidence/job_state.h"
#include "analysis/diagnosis/telling/verdict.h"

namespace traced {

// A verdict if processes failed and none of `others` says why: what fails or
// stands still in an operation mostly ends in an exception, too. Blames nobody
// for a signal that may have ended a standstill.
std::vector<JobVerdict> findFailedProcesses(
    const JobState& job, const DiagnosisOptions& options,
    const std::vector<JobVerdict>& others);

}  // namespace traced
