#include <algorithm>

#include "analysis/diagnosis/stuck_groups/group_rules.h"

namespace traced {
namespace {

bool timedOut(const GroupStanding& standing) {
  return std::any_of(
      standing.failed.begin(), standing.failed.end(), [&](std::uint32_t rank) {
        const auto& failure = standing.job().rank(rank)->first_failure;
        return failure && failure->timedOut();
      });
}

// Reports ranks that died inside the operation.
void reportKilled(const GroupStanding& standing,
                  const std::vector<std::uint32_t>& dead, JobVerdict& verdict) {
  verdict.kind = VerdictKind::kLeftEarly;
  // It may have been killed because the others failed.
  verdict.finding = verdict.culprit = Confidence::kLikely;
  verdict.ranks = verdict.culprits = dead;
  verdict.summary = {DiedInside{dead, standing.call()}};
}

// Reports ranks inside the operation whose end is unknown.
void reportSilent(const GroupStanding& standing,
                  const std::vector<std::uint32_t>& silent,
                  JobVerdict& verdict) {
  verdict.kind =
      timedOut(standing) ? VerdictKind::kHungIn : VerdictKind::kLeftEarly;
  verdict.finding = verdict.culprit = Confidence::kLikely;
  verdict.ranks = verdict.culprits = silent;
  verdict.summary = {SilentInside{silent, standing.call()}};
}

// Reports ranks on which the operation failed. Blames those whose call threw,
// if only some did.
void reportFailed(const GroupStanding& standing, JobVerdict& verdict) {
  std::vector<std::uint32_t> threw;
  for (const std::uint32_t rank : standing.failed) {
    const OperationRef* failure = standing.failureOn(rank);
    if (failure && failure->threw) threw.push_back(rank);
  }
  verdict.kind = VerdictKind::kFailed;
  const bool some_threw =
      !threw.empty() && threw.size() < standing.failed.size();
  verdict.ranks = verdict.culprits = some_threw ? threw : standing.failed;
  const bool all = verdict.culprits.size() == standing.members.present.size();
  verdict.finding = Confidence::kCertain;
  verdict.culprit = all ? Confidence::kUndecided : Confidence::kLikely;
  verdict.summary = {CollectiveFailed{standing.call(), verdict.ranks}};
}

// Ranks that were ready only after the operation had timed out on another rank.
struct TooLate {
  std::vector<std::uint32_t> ranks;
  // `late_ns`: delay of the first late rank after the last rank that gave up
  // had joined. `waited_ns`: wait of the first rank that gave up.
  std::int64_t late_ns = 0;
  std::vector<std::uint32_t> gave_up;
  std::int64_t waited_ns = 0;
};

const Timing* timingOf(const Timings& timings, std::uint32_t rank) {
  const auto found =
      std::find_if(timings.begin(), timings.end(),
                   [&](const Timing& each) { return each.rank == rank; });
  return found == timings.end() ? nullptr : &*found;
}

// Finds the late ranks. Empty if the clocks do not prove it.
TooLate findTooLate(const GroupStanding& standing) {
  const JobState& job = standing.job();
  Timings timings = job.groups[standing.group].timings;
  std::erase_if(timings,
                [&](const Timing& each) { return each.seq != standing.seq; });
  TooLate found;
  const OperationRef* first = nullptr;
  std::uint32_t first_rank = 0;
  std::int64_t last_ns = 0;
  for (const std::uint32_t rank : standing.failed) {
    const OperationRef* failure = standing.failureOn(rank);
    if (!failure || !failure->failed_ns || !failure->timedOut()) continue;
    found.gave_up.push_back(rank);
    last_ns = std::max(last_ns, failure->at_ns);
    if (first && *first->failed_ns <= *failure->failed_ns) continue;
    first = failure;
    first_rank = rank;
  }
  if (!first) return {};
  const Timing* own = timingOf(timings, first_rank);
  for (const Timing& each : timings) {
    const bool one_clock =
        job.rank(each.rank)->clock == job.rank(first_rank)->clock;
    const std::int64_t off_ns =
        one_clock ? 0
                  : each.uncertain_ns +
                        (own ? own->uncertain_ns : Timing::kUncertain);
    if (each.ready_ns - each.early_ns - off_ns <= *first->failed_ns) continue;
    const std::int64_t late_ns = each.ready_ns - last_ns;
    found.late_ns =
        found.ranks.empty() ? late_ns : std::min(found.late_ns, late_ns);
    addRanks(found.ranks, {each.rank});
    std::erase(found.gave_up, each.rank);
  }
  found.waited_ns = *first->failed_ns - first->at_ns;
  return found;
}

void reportTooLate(const GroupStanding& standing, const TooLate& late,
                   JobVerdict& verdict) {
  verdict.kind = VerdictKind::kFailed;
  verdict.finding = Confidence::kCertain;
  // The reason for its delay is not recorded.
  verdict.culprit = Confidence::kLikely;
  verdict.ranks = verdict.culprits = late.ranks;
  verdict.summary = {JoinedTooLate{late.ranks, late.late_ns, standing.call(),
                                   late.gave_up, late.waited_ns}};
}

// Returns whether all ranks had joined and were stuck before any rank of `dead`
// was cut off. The later failure is then a consequence.
bool stoodStillBefore(const GroupStanding& standing,
                      const std::vector<std::uint32_t>& dead) {
  return !dead.empty() &&
         std::all_of(dead.begin(), dead.end(), [&](std::uint32_t rank) {
           const RankState& state = *standing.job().rank(rank);
           return state.end.mayBeConsequence() && state.end_seen_ns &&
                  standing.since_ns && standing.absence.knowsAges() &&
                  standing.absence.isStuck(*state.end_seen_ns -
                                           *standing.since_ns);
         });
}

}  // namespace

std::optional<StuckOperation> judgeFailed(const GroupStanding& standing) {
  StuckOperation stuck = standing.stuck();
  JobVerdict& verdict = stuck.verdict;
  // A rank without a trace may have failed first, and the others only as a
  // consequence.
  if (!standing.members.absent.empty()) {
    reportUndecided(standing, {}, stuck);
    reportFailures(standing, verdict);
    return stuck;
  }
  std::vector<std::uint32_t> dead, silent;
  for (const std::uint32_t rank : standing.inside) {
    const RankState& state = *standing.job().rank(rank);
    if (state.recovered) dead.push_back(rank);
    if (!state.endKnown()) silent.push_back(rank);
  }
  if (stoodStillBefore(standing, dead)) {
    GroupStanding before = standing;
    addRanks(before.inside, standing.failed);
    before.failed.clear();
    auto hung = judgeHung(before);
    if (hung) reportFailures(standing, hung->verdict);
    if (hung) return hung;
  }
  if (const TooLate late = findTooLate(standing); !late.ranks.empty()) {
    reportTooLate(standing, late, verdict);
  } else if (!dead.empty()) {
    reportKilled(standing, dead, verdict);
  } else if (!silent.empty()) {
    reportSilent(standing, silent, verdict);
  } else {
    reportFailed(standing, verdict);
  }
  reportFailures(standing, verdict);
  verdict.advice.push_back(AskLog{verdict.culprits});
  return stuck;
}

}  // namespace traced
