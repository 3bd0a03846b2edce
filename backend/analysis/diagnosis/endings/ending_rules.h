// Rules about processes and engines that failed by themselves, and about calls
// that one rank's trace alone proves wrong.

#pragma once

#include <optional>
#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/verdicts/verdict.h"

namespace traced {

// Returns a verdict if processes failed and none of `others` explains it. A
// failed or stuck operation usually raises an exception, which is then no
// separate finding. Blames nobody for a signal that may have ended a hang.
std::vector<JobVerdict> findFailedProcesses(
    const JobState& job, const DiagnosisOptions& options,
    const std::vector<JobVerdict>& others);

// Reports engines that gave up. Empty if one of `others` gives a cause.
std::vector<JobVerdict> findEngineFailures(
    const JobState& job, const std::vector<JobVerdict>& others);

// Returns the verdicts that one rank's trace proves by itself.
std::vector<JobVerdict> findLocalVerdicts(const JobState& job);

// Reports failures that no rule explains. Absent if nothing failed or one of
// the verdicts gives a cause.
std::optional<JobVerdict> unreportedFailures(
    const JobState& job, const std::vector<JobVerdict>& verdicts);

}  // namespace traced
