#include <algorithm>

#include "analysis/diagnosis/gradients/gradient_rules.h"
#include "analysis/diagnosis/gradients/preconditions.h"

namespace traced {
namespace {

// Returns whether operations may have stopped or connected other ranks, so that
// what was exchanged is in doubt.
bool isDoubtful(const std::vector<JobVerdict>& found) {
  return std::any_of(found.begin(), found.end(), [](const JobVerdict& verdict) {
    return traitsOf(verdict.kind).is_stuck ||
           verdict.kind == VerdictKind::kEndedUnjoined;
  });
}

}  // namespace

std::vector<JobVerdict> findUnsynchronised(
    const JobState& job, const TraceSet& set,
    const std::vector<JobVerdict>& found) {
  if (!isCompleteJob(job, set) || isDoubtful(found)) return {};
  const bool may_have_islands = mayHaveIslands(job);
  const bool may_lack = mayLackReductions(job) && countsOptimizerSteps(set);
  if (!may_have_islands && !may_lack) return {};
  const GradientSurvey survey = readGradients(job, set);
  if (!survey.isComplete()) return {};
  std::optional<JobVerdict> verdict;
  if (may_have_islands) verdict = findIslands(job, survey);
  if (!verdict && may_lack) verdict = findOnlyGathered(job, survey);
  if (!verdict) return {};
  return {*std::move(verdict)};
}

}  // namespace traced
