#include <algorithm>

#include "absl/container/btree_set.h"
#include "analysis/diagnosis/endings/ending_rules.h"
#include "analysis/diagnosis/verdicts/call_sites.h"

namespace traced {
namespace {

constexpr std::size_t kMaxEngines = 3;

// Returns the first operation of the group that was cut off inside it on this
// rank, or nullptr.
const OperationRef* insideOn(const RankState& rank, std::uint32_t group) {
  for (const OperationRef& ref : rank.inside) {
    if (ref.group == group && ref.until_ns) return &ref;
  }
  return nullptr;
}

StateAtGivingUp stateOf(const RankState& rank, const GroupStop& stop) {
  const OperationRef* inside = insideOn(rank, stop.group);
  const OperationRef* last = stop.last ? &*stop.last : nullptr;
  StateAtGivingUp state{rank.rank, {}, inside != nullptr};
  if (const OperationRef* ref = inside ? inside : last) {
    state.call = callOn(*ref);
    state.issued_before_ns = stop.at_ns - ref->at_ns;
  }
  return state;
}

// Returns the groups whose engine gave up on some rank, usually none. Avoids a
// scan of all groups, of which a job may have thousands.
absl::btree_set<std::uint32_t> groupsGivenUp(const JobState& job) {
  absl::btree_set<std::uint32_t> groups;
  for (const RankState& rank : job.ranks) {
    for (const GroupStop& stop : rank.stops) {
      const bool gave_up = rank.stopOf(stop.group)->gave_up;
      if (gave_up && stop.group < job.groups.size()) groups.insert(stop.group);
    }
  }
  return groups;
}

JobVerdict verdictOf(const JobState& job, std::uint32_t group) {
  JobVerdict verdict;
  verdict.kind = VerdictKind::kFailed;
  // The trace shows that the engine gave up, but not whose fault it was.
  verdict.finding = Confidence::kCertain;
  verdict.culprit = Confidence::kUndecided;
  verdict.group = group;
  std::string why;
  for (const RankState& rank : job.ranks) {
    const GroupStop* stop = rank.stopOf(group);
    if (!stop || !stop->gave_up) continue;
    verdict.ranks.push_back(rank.rank);
    if (why.empty()) why = stop->why;
    verdict.since_ns =
        std::min(verdict.since_ns.value_or(stop->at_ns), stop->at_ns);
    if (verdict.ranks.size() <= kMaxEngines) {
      verdict.reasons.push_back(stateOf(rank, *stop));
    }
  }
  verdict.summary = {EngineGaveUp{group, verdict.ranks, why}};
  verdict.advice.push_back(AskLog{verdict.ranks});
  return verdict;
}

// Returns whether a verdict gives the cause of what failed.
bool isExplained(const std::vector<JobVerdict>& verdicts) {
  return std::any_of(
      verdicts.begin(), verdicts.end(),
      [](const JobVerdict& verdict) { return verdict.hasCause(); });
}

}  // namespace

std::vector<JobVerdict> findEngineFailures(
    const JobState& job, const std::vector<JobVerdict>& others) {
  if (isExplained(others)) return {};
  std::vector<JobVerdict> verdicts;
  for (const std::uint32_t group : groupsGivenUp(job)) {
    verdicts.push_back(verdictOf(job, group));
  }
  return verdicts;
}

namespace {

constexpr std::size_t kMaxNamedFailures = 3;

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

std::optional<JobVerdict> unreportedFailures(
    const JobState& job, const std::vector<JobVerdict>& verdicts) {
  const RankState* first = firstToFail(job);
  if (!first || isExplained(verdicts)) return std::nullopt;
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
    if (verdict.reasons.size() == kMaxNamedFailures) continue;
    const OperationRef& failure = *rank.first_failure;
    verdict.reasons.push_back(
        CallFailed{callOn(failure), rank.rank, failure.error});
  }
  verdict.summary = {
      FailedForUnknownReason{callOn(*first->first_failure), first->rank}};
  verdict.advice.push_back(AskLog{verdict.ranks});
  return verdict;
}

}  // namespace traced
