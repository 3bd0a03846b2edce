#include <algorithm>

#include "analysis/diagnosis/stuck_groups/cut_off.h"
#include "analysis/diagnosis/stuck_groups/group_rules.h"

namespace traced {
namespace {

// Returns whether something else may hold the rank up. It may be inside a
// message, or an operation of another group that lacks a trace. Or it failed in
// such an operation earlier, as happens when the other side is gone.
bool mayBeHeldUp(const GroupStanding& standing, std::uint32_t rank) {
  const JobState& job = standing.job();
  const auto lacksTrace = [&](std::uint32_t group) {
    return group != standing.group && group != GroupCatalog::kNone &&
           !job.membersOf(group).absent.empty();
  };
  const auto isHeldUpIn = [&](const OperationRef& ref) {
    return ref.pair || lacksTrace(ref.group);
  };
  const RankState& state = *job.rank(rank);
  const std::optional<OperationRef>& failure = state.first_failure;
  return (failure && isHeldUpIn(*failure)) ||
         std::any_of(state.inside.begin(), state.inside.end(), isHeldUpIn);
}

}  // namespace

std::optional<StuckOperation> judgeMissing(const GroupStanding& standing) {
  if (standing.joined().empty()) return std::nullopt;
  MissingRanks missing(standing);
  const bool matters = !standing.failed.empty() || standing.someGaveUp() ||
                       missing.any_ended || standing.closedInside() ||
                       (standing.mayBeUnderWay() &&
                        standing.absence.isStuck(standing.longest_ns));
  if (!matters) return std::nullopt;
  StuckOperation stuck = standing.stuck();
  stuck.missing = missing.sure;
  // If traces are missing, an absent rank may hold these up.
  if (!standing.members.absent.empty()) {
    std::erase_if(missing.sure, [&](std::uint32_t rank) {
      return mayBeHeldUp(standing, rank);
    });
  }
  if (missing.sure.empty()) {
    reportUndecided(standing, missing.doubtful, stuck);
    return stuck;
  }
  JobVerdict& verdict = stuck.verdict;
  blameMissing(standing, missing.sure, verdict);
  verdict.finding = missing.confidence;
  reportLost(missing.doubtful, verdict);
  reportAbsent(standing, verdict);
  reportFailures(standing, verdict);
  reportStops(standing, verdict);
  return stuck;
}

namespace {

// Returns whether a rank ended by itself without joining the operation.
bool processEnded(const GroupStanding& standing, std::uint32_t rank) {
  const RankState& state = *standing.job().rank(rank);
  if (!state.inside.empty() || state.first_failure) return false;
  if (standing.othersWereStuckBeforeEndOf(rank)) return false;
  if (state.end.wasInterrupted()) return true;
  // An exception of its own is not a consequence of the others' wait.
  if (state.end.failed()) return true;
  // A recovered process may have been killed much later.
  if (!state.closed) return false;
  // Ending takes a while, but a failure that happened only afterwards did not
  // cause the end.
  if (standing.failed_ns && state.last_ns < *standing.failed_ns) return true;
  // A process that lived while the others waited had not left.
  const bool lived_on =
      standing.since_ns && standing.longest_ns > 0 &&
      state.last_ns - *standing.since_ns > standing.longest_ns / 2;
  return !lived_on;
}

// Returns what is known about the missing ranks and the others.
NotJoined notJoined(const GroupStanding& standing, const Ranks& ranks,
                    bool have_left) {
  using How = NotJoined::How;
  using Others = NotJoined::Others;
  NotJoined fact;
  fact.ranks = ranks;
  fact.call = standing.call();
  const bool live = std::all_of(
      ranks.begin(), ranks.end(),
      [&](std::uint32_t rank) { return standing.job().rank(rank)->running; });
  fact.how = have_left ? How::kLeftBefore : live ? How::kNotYet : How::kNever;
  if (!standing.inside.empty()) {
    const bool perhaps = standing.perhaps() == standing.inside;
    fact.others_do = perhaps ? Others::kMayWait : Others::kWait;
    fact.others = standing.othersAre(standing.inside);
    fact.waited_ns = standing.longest_ns;
    fact.at_least = standing.at_least;
  } else if (standing.failed.empty()) {
    fact.others_do = Others::kCalledIt;
    fact.others = standing.othersAre(standing.joined());
  } else {
    fact.others_do = Others::kFailedIn;
    fact.others = standing.othersAre(standing.failed);
  }
  return fact;
}

// Considers the ranks that joined as culprits. The others are a majority that
// made one call fewer, or half of all.
void blameJoined(const GroupStanding& standing,
                 const std::vector<std::uint32_t>& missing,
                 JobVerdict& verdict) {
  const std::vector<std::uint32_t> joined = standing.joined();
  if (missing.size() > joined.size()) {
    verdict.kind = VerdictKind::kNeverJoined;
    verdict.ranks = missing;
    verdict.culprits = joined;
    verdict.summary = {OnlyTheseCalled{joined, standing.call(), missing}};
  } else if (missing.size() > 1) {
    addRanks(verdict.culprits, joined);
    verdict.culprit = Confidence::kUndecided;
    verdict.reasons.push_back(PlainFact::kTwoCannotOutvote);
  } else {
    verdict.reasons.push_back(PlainFact::kEndedByItself);
  }
}

}  // namespace

namespace {

// Returns whether a missing rank may wait in an operation that it did not
// record (TRACED_SCOPE).
bool mayBeInUnrecorded(const GroupStanding& standing,
                       const std::vector<std::uint32_t>& missing) {
  return std::any_of(missing.begin(), missing.end(), [&](std::uint32_t rank) {
    const RankState& state = *standing.job().rank(rank);
    return state.left_out > 0 && state.inside.empty();
  });
}

}  // namespace

void blameMissing(const GroupStanding& standing,
                  const std::vector<std::uint32_t>& missing,
                  JobVerdict& verdict) {
  const std::vector<std::uint32_t> joined = standing.joined();
  std::vector<std::uint32_t> left;
  for (const std::uint32_t rank : missing) {
    if (processEnded(standing, rank)) left.push_back(rank);
  }
  verdict.kind =
      left.empty() ? VerdictKind::kNeverJoined : VerdictKind::kLeftEarly;
  const std::vector<std::uint32_t> killed =
      left.empty() ? killedFirst(standing, missing) : left;
  verdict.ranks = verdict.culprits = killed.empty() ? missing : killed;
  verdict.culprit = Confidence::kLikely;
  const auto cut =
      left.empty() ? cutOffBefore(standing, missing) : std::nullopt;
  if (cut) {
    verdict.waited_ns = cut->waited_ns;
    verdict.summary = {*cut};
  } else {
    verdict.summary = {notJoined(standing, verdict.ranks, !killed.empty())};
  }
  for (std::size_t i = 0; i < missing.size() && i < 4; ++i) {
    verdict.now.push_back(standing.absence.insteadOf(missing[i]));
  }
  if (jobWasEnded(standing, missing)) {
    verdict.culprits.clear();
    verdict.culprit = Confidence::kUndecided;
    verdict.reasons.push_back(PlainFact::kAllWereEnded);
    return;
  }
  if (killed.empty() && mayBeInUnrecorded(standing, missing)) {
    verdict.culprits.clear();
    verdict.culprit = Confidence::kUndecided;
    verdict.reasons.push_back(PlainFact::kMayBeInUnrecorded);
    return;
  }
  const bool all_went_on = left.size() == missing.size();
  if (all_went_on && missing.size() >= joined.size() &&
      standing.members.absent.empty()) {
    blameJoined(standing, missing, verdict);
  }
  verdict.advice.push_back(AskWhere{verdict.culprits});
}

}  // namespace traced
