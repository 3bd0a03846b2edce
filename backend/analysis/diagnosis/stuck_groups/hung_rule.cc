#include <algorithm>

#include "analysis/diagnosis/stuck_groups/group_rules.h"

namespace traced {
namespace {

// Returns the ranks that made no further call, if these are at most half of the
// members. Otherwise returns all ranks inside.
std::vector<std::uint32_t> silentInside(const GroupStanding& standing) {
  std::vector<std::uint32_t> silent;
  // A rank that has not ended what others have ended is the slow one, whatever
  // it called.
  if (!standing.ended.empty() && !standing.absence.knowsAges()) {
    return standing.inside;
  }
  std::vector<std::uint32_t> candidates = standing.inside;
  // If a rank stopped together with its device, nothing reports whether the
  // operation ended.
  addRanks(candidates, standing.not_observed);
  for (const std::uint32_t rank : candidates) {
    const RankState& state = *standing.job().rank(rank);
    const auto& last = state.last_issued;
    if (!state.closed && last && last->group == standing.group &&
        last->seq == standing.seq) {
      silent.push_back(rank);
    }
  }
  const bool few =
      !silent.empty() && 2 * silent.size() <= standing.members.present.size();
  return few ? silent : standing.inside;
}

// Returns certain if every rank is observed to be inside and its records
// continue while the operation is stuck.
Confidence confidenceOf(const GroupStanding& standing) {
  const bool all_known =
      standing.unknown.empty() && standing.since_ns &&
      standing.perhaps().empty() &&
      std::all_of(standing.inside.begin(), standing.inside.end(),
                  [&](std::uint32_t rank) {
                    return standing.absence.isKnownAfter(
                        *standing.job().rank(rank), *standing.since_ns);
                  });
  return all_known ? Confidence::kCertain : Confidence::kLikely;
}

void reportHung(const GroupStanding& standing, JobVerdict& verdict) {
  verdict.summary = {HangsIn{standing.inside, standing.call(),
                             standing.waited_ns, standing.ended}};
  if (standing.waited_ns && standing.absence.knowsAges()) {
    verdict.reasons.push_back(LastJoined{*standing.waited_ns});
  }
  if (!standing.ended.empty() && standing.needsAll() &&
      !standing.absence.knowsAges()) {
    verdict.reasons.push_back(StartedToo{standing.inside});
  }
  if (!standing.not_observed.empty()) {
    verdict.reasons.push_back(EndNotObserved{standing.not_observed});
  }
  if (const auto perhaps = standing.perhaps(); !perhaps.empty()) {
    verdict.reasons.push_back(WaitNotRecorded{perhaps});
  }
  verdict.advice.push_back(PlainFact::kAskNetworkOfMembers);
}

// Blames the ranks without a dump: all others are waiting.
void blameAbsent(const GroupStanding& standing, StuckOperation& stuck) {
  const std::vector<std::uint32_t>& absent = standing.members.absent;
  stuck.without_dump = absent;
  JobVerdict& verdict = stuck.verdict;
  verdict.kind = VerdictKind::kNeverJoined;
  verdict.finding = verdict.culprit = Confidence::kLikely;
  verdict.ranks = verdict.culprits = absent;
  verdict.summary = {LeftNoDump{absent, standing.inside, standing.call()}};
  verdict.reasons.push_back(PlainFact::kLivingProcessDumps);
  verdict.advice.push_back(AskLogAndDump{absent});
}

}  // namespace

std::optional<StuckOperation> judgeHung(const GroupStanding& standing) {
  if (standing.inside.empty()) return std::nullopt;
  // Ends on a device are reported late, and not at all to a process that has
  // exited.
  const bool left_inside = standing.closedInside() && !standing.onDevice();
  const bool matters =
      left_inside || standing.absence.isStuck(standing.waited_ns.value_or(0));
  if (!matters) return std::nullopt;
  StuckOperation stuck = standing.stuck();
  // A rank without a trace may not have joined, or may have called something
  // else.
  if (!standing.members.absent.empty()) {
    if (standing.absence.expectsDumps(standing.group)) {
      blameAbsent(standing, stuck);
    } else {
      reportUndecided(standing, {}, stuck);
    }
    return stuck;
  }
  JobVerdict& verdict = stuck.verdict;
  verdict.kind = VerdictKind::kHungIn;
  verdict.ranks = standing.inside;
  verdict.culprits = silentInside(standing);
  if (verdict.culprits != standing.inside) {
    verdict.reasons.push_back(NoFurtherCall{verdict.culprits});
  }
  verdict.finding = confidenceOf(standing);
  const bool few = verdict.culprits.size() < standing.members.present.size();
  verdict.culprit = few ? Confidence::kLikely : Confidence::kUndecided;
  reportHung(standing, verdict);
  reportStops(standing, verdict);
  return stuck;
}

}  // namespace traced
