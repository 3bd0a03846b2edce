#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/standstill/group_rules.h"
#include "analysis/diagnosis/telling/words.h"

namespace traced {
namespace {

bool timedOut(const GroupStanding& standing) {
  return std::any_of(
      standing.failed.begin(), standing.failed.end(), [&](std::uint32_t rank) {
        const auto& failure = standing.job().rank(rank)->first_failure;
        return failure && failure->timedOut();
      });
}

void tellKilled(const GroupStanding& standing,
                const std::vector<std::uint32_t>& dead, JobVerdict& verdict) {
  verdict.kind = VerdictKind::kLeftEarly;
  // It may have been killed because the others failed.
  verdict.finding = verdict.culprit = Confidence::kLikely;
  verdict.ranks = verdict.culprits = dead;
  const ProcessEnd& end = standing.job().rank(dead.front())->end;
  verdict.summary = absl::StrCat(
      ranksText(dead), " ", end.kind == EndKind::kDied ? "died" : endText(end),
      " inside ", standing.what(), ".");
}

void tellSilent(const GroupStanding& standing,
                const std::vector<std::uint32_t>& silent, JobVerdict& verdict) {
  verdict.kind =
      timedOut(standing) ? VerdictKind::kHungIn : VerdictKind::kLeftEarly;
  verdict.finding = verdict.culprit = Confidence::kLikely;
  verdict.ranks = verdict.culprits = silent;
  verdict.summary =
      absl::StrCat(ranksText(silent), " joined ", standing.what(),
                   " and recorded nothing more, while the others failed in "
                   "it.");
}

void tellFailed(const GroupStanding& standing, JobVerdict& verdict) {
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
  verdict.summary = absl::StrCat(standing.what(), " failed on ",
                                 ranksText(verdict.ranks), ".");
}

// All had joined and stood still before any of these was cut off: why it failed
// then is a consequence.
bool stoodStillBefore(const GroupStanding& standing,
                      const std::vector<std::uint32_t>& dead) {
  return !dead.empty() &&
         std::all_of(dead.begin(), dead.end(), [&](std::uint32_t rank) {
           const RankState& state = *standing.job().rank(rank);
           return state.end.mayBeConsequence() && state.end_seen_ns &&
                  standing.since_ns && standing.knowledge.tellsAges() &&
                  standing.knowledge.standsStill(*state.end_seen_ns -
                                                 *standing.since_ns);
         });
}

}  // namespace

std::optional<Trouble> judgeFailed(const GroupStanding& standing) {
  Trouble trouble = standing.trouble();
  JobVerdict& verdict = trouble.verdict;
  // Who is absent may have failed first, and the others only behind it.
  if (!standing.members.absent.empty()) {
    tellUndecided(standing, {}, trouble);
    tellFailures(standing, verdict);
    return trouble;
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
    if (hung) tellFailures(standing, hung->verdict);
    if (hung) return hung;
  }
  if (!dead.empty()) {
    tellKilled(standing, dead, verdict);
  } else if (!silent.empty()) {
    tellSilent(standing, silent, verdict);
  } else {
    tellFailed(standing, verdict);
  }
  tellFailures(standing, verdict);
  verdict.advice.push_back(
      absl::StrCat("the log of ", ranksText(verdict.culprits)));
  return trouble;
}

}  // namespace traced
