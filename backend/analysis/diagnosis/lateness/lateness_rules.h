// Rules about ranks that keep the others of a group waiting: once for long, or
// repeatedly.

#pragma once

#include <optional>
#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/lateness/lateness.h"
#include "analysis/diagnosis/verdicts/verdict.h"

namespace traced {

// Reports ranks that are late once for long, and stragglers.
std::vector<JobVerdict> findTimingVerdicts(const JobState& job,
                                           const DiagnosisOptions& options);

// Reports ranks that are late repeatedly. Absent if none is.
std::optional<JobVerdict> findStraggler(std::uint32_t group,
                                        const GroupLateness& lateness,
                                        const StandsOut& stands_out);

}  // namespace traced
