// Ranks that keep the others of a group waiting: once for long, or time and
// again. See docs/diagnosis.md, "Stragglers".

#pragma once

#include <vector>

#include "analysis/diagnosis/evidence/diagnosis_options.h"
#include "analysis/diagnosis/evidence/job_state.h"
#include "analysis/diagnosis/telling/verdict.h"

namespace traced {

std::vector<JobVerdict> findTimingVerdicts(const JobState& job,
                                           const DiagnosisOptions& options);

}  // namespace traced
