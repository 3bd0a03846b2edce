// Rules about gradients that ranks never exchange. They read the records of
// operations only, never a tensor. See docs/reference/diagnosis.md,
// "unsynchronised_gradients".

#pragma once

#include <optional>
#include <vector>

#include "analysis/diagnosis/gradients/survey.h"
#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/verdicts/verdict.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// Reports ranks that seem to train one model without exchanging gradients, at
// most one verdict. `found`: findings of the earlier rules. Reads the traces
// again if the job may have such ranks.
std::vector<JobVerdict> findUnsynchronised(
    const JobState& job, const TraceSet& set,
    const std::vector<JobVerdict>& found);

// Finds sets of ranks that each reduce the same gradients among themselves and
// exchange nothing but a metric.
std::optional<JobVerdict> findIslands(const JobState& job,
                                      const GradientSurvey& survey);

// Finds groups that gather parameters in backward and reduce nothing. Steps
// must be those of an optimizer.
std::optional<JobVerdict> findOnlyGathered(const JobState& job,
                                           const GradientSurvey& survey);

}  // namespace traced
