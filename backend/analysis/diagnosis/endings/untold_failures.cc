#include "analysis/diagnosis/endings/untold_failures.h"

#include <algorithm>

#include "analysis/diagnosis/telling/call_places.h"

namespace traced {
namespace {

constexpr std::size_t kFailuresTold = 3;

const RankState* firstToFail(const JobState& job) {
  const RankState* first = nullptr;
  for (const RankState& rank : job.ranks) {
    if (!rank.first_failure) continue;
    if (!first || rank.first_failure->at_ns < first->first_failure->at_ns) {
      first = &rank;
    }
  }
  return first;
}

}  // namespace

std::optional<JobVerdict> untoldFailures(
    const JobState& job, const std::vector<JobVerdict>& verdicts) {
  const RankState* first = firstToFail(job);
  const bool told =
      std::any_of(verdicts.begin(), verdicts.end(),
                  [](const JobVerdict& verdict) { return verdict.tellsWhy(); });
  if (!first || told) return std::nullopt;
  JobVerdict verdict;
  verdict.kind = VerdictKind::kUndecided;
  verdict.finding = verdict.culprit = Confidence::kUndecided;
  verdict.group = first->first_failure->group;
  verdict.pair = first->first_failure->pair;
  verdict.seq = first->first_failure->seq;
  verdict.since_ns = first->first_failure->at_ns;
  for (const RankState& rank : job.ranks) {
    if (!rank.first_failure) continue;
    verdict.ranks.push_back(rank.rank);
    if (verdict.evidence.size() == kFailuresTold) continue;
    const OperationRef& failure = *rank.first_failure;
    verdict.evidence.push_back(
        CallFailed{callOn(failure), rank.rank, failure.error});
  }
  verdict.summary = {
      FailedForUnknownReason{callOn(*first->first_failure), first->rank}};
  verdict.advice.push_back(AskLog{verdict.ranks});
  return verdict;
}

}  // namespace traced
