#include "analysis/diagnosis/program/blame.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace traced {
namespace {

using Ranks = std::vector<std::uint32_t>;

Ranks joinedOf(const JobState& job, const Trouble& trouble) {
  const Ranks present = job.membersOf(trouble.verdict.group).present;
  Ranks joined;
  std::set_difference(present.begin(), present.end(), trouble.missing.begin(),
                      trouble.missing.end(), std::back_inserter(joined));
  return joined;
}

std::optional<SiteOrder> sitesOf(ProgramOrder& order, const Trouble& trouble) {
  if (trouble.verdict.pair || trouble.verdict.seq == 0) return std::nullopt;
  Ranks suspects = trouble.inside;
  addRanks(suspects, trouble.missing);
  return order.sitesOf(trouble.verdict.group, suspects);
}

// What ended a rank by itself keeps it from calls, whatever came before.
bool anyFailed(const JobState& job, const Ranks& ranks) {
  return std::any_of(ranks.begin(), ranks.end(), [&](std::uint32_t rank) {
    const RankState* state = job.rank(rank);
    return state && state->end.failed();
  });
}

}  // namespace

void nameShift(const SiteShift& shift, JobVerdict& verdict) {
  using Likely = CalledElsewhere::Likely;
  const bool extra = shift.blamed == SiteShift::Blamed::kMakers;
  const bool nobody = shift.blamed == SiteShift::Blamed::kNobody;
  verdict.summary.insert(verdict.summary.begin(),
                         CalledElsewhere{nobody  ? Likely::kUnknown
                                         : extra ? Likely::kExtra
                                                 : Likely::kLeftOut,
                                         shift.makers, shift.others, shift.what,
                                         shift.site, shift.others_site});
  if (nobody) {
    verdict.culprits = shift.makers;
    addRanks(verdict.culprits, shift.others);
    verdict.culprit = Confidence::kUndecided;
  } else {
    std::erase_if(verdict.evidence, isTwoCannotOutvote);
    verdict.culprits = shift.culprits();
    verdict.culprit = Confidence::kLikely;
    verdict.advice = {AskWhyCalled{verdict.culprits, extra, shift.site}};
  }
  std::vector<Fact> evidence = {PlainFact::kNoLaterCall};
  if (shift.count > 0) {
    evidence = {
        SitesMatchWithout{shift.seq, shift.others, shift.makers, shift.count}};
  }
  if (shift.reason) evidence.push_back(*shift.reason);
  verdict.evidence.insert(verdict.evidence.begin(), evidence.begin(),
                          evidence.end());
}

bool blameBySite(const JobState& job, ProgramOrder& order,
                 const Trouble& trouble, JobVerdict& verdict) {
  const auto sites = sitesOf(order, trouble);
  if (!sites || anyFailed(job, trouble.missing)) return false;
  const auto shift = sites->findShift(joinedOf(job, trouble), trouble.missing);
  if (!shift || shift->seq >= trouble.verdict.seq) return false;
  // Who is behind made no call too many.
  if (!std::includes(trouble.missing.begin(), trouble.missing.end(),
                     shift->others.begin(), shift->others.end())) {
    return false;
  }
  nameShift(*shift, verdict);
  return true;
}

void doubtBySite(const JobState& job, ProgramOrder& order,
                 const Trouble& trouble, JobVerdict& verdict) {
  const auto sites = sitesOf(order, trouble);
  if (!sites || anyFailed(job, trouble.missing)) return;
  const auto shift =
      sites->findLastDifference(joinedOf(job, trouble), trouble.missing);
  if (shift) nameShift(*shift, verdict);
}

namespace {

using Ranks = std::vector<std::uint32_t>;

void nameBoth(const Ranks& ranks, JobVerdict& verdict) {
  verdict.culprits = ranks;
  verdict.culprit = Confidence::kUndecided;
  verdict.evidence.push_back(PlainFact::kTwoCannotOutvote);
}

bool holdsAny(const Ranks& all, const Ranks& some) {
  return std::any_of(some.begin(), some.end(), [&](std::uint32_t rank) {
    return std::binary_search(all.begin(), all.end(), rank);
  });
}

// It neither goes on nor waits: it may just not have come yet.
bool isIdle(const JobState& job, std::uint32_t rank) {
  const RankState* state = job.rank(rank);
  return state && (!state->closed || state->end.wasInterrupted()) &&
         state->inside.empty() && !state->first_failure;
}

bool hasMessage(const std::vector<const Trouble*>& troubles) {
  return std::any_of(
      troubles.begin(), troubles.end(),
      [](const Trouble* trouble) { return trouble->verdict.pair.has_value(); });
}

// Some called it, and the others did not.
void blameSide(const JobState& job, const Trouble& trouble,
               const ProgramOrder::Answer& answer, JobVerdict& verdict) {
  const Ranks& joined = trouble.inside;
  const Ranks& missing = trouble.missing;
  // Who is silent may be stuck, whatever is odd about what the others called.
  const bool all_idle =
      std::all_of(missing.begin(), missing.end(),
                  [&](std::uint32_t rank) { return isIdle(job, rank); });
  const bool only_joined =
      !answer.deviants.empty() && !holdsAny(answer.deviants, missing);
  const bool by_habit_only = !answer.by_majority && only_joined && all_idle;
  if (!by_habit_only && !answer.deviants.empty()) {
    return nameDeviants(answer, verdict);
  }
  const bool few = 2 * verdict.culprits.size() < joined.size() + missing.size();
  const bool in_order = holdsAny(answer.followers, joined) && !only_joined;
  // Nothing is odd about who waits, and who does nothing is waited for.
  const bool silent = all_idle && answer.deviants.empty();
  if (verdict.pair || few || in_order || silent) return;
  Ranks both = joined;
  addRanks(both, missing);
  nameBoth(both, verdict);
}

}  // namespace

void nameDeviants(const ProgramOrder::Answer& answer, JobVerdict& verdict) {
  if (answer.deviants.empty()) return;
  verdict.culprits = answer.deviants;
  verdict.culprit = Confidence::kLikely;
  std::erase_if(verdict.evidence, isTwoCannotOutvote);
  verdict.evidence.insert(verdict.evidence.end(), answer.evidence.begin(),
                          answer.evidence.end());
}

void blameByOrder(const JobState& job, ProgramOrder& order,
                  const std::vector<const Trouble*>& troubles,
                  JobVerdict& verdict) {
  if (verdict.finding == Confidence::kUndecided) return;
  Ranks suspects;
  for (const Trouble* trouble : troubles) {
    // Why nobody ends what all joined, their calls do not tell.
    if (trouble->missing.empty()) return;
    addRanks(suspects, trouble->inside);
    addRanks(suspects, trouble->missing);
    if (trouble->verdict.pair) addRanks(suspects, trouble->verdict.ranks);
  }
  suspects.erase(std::unique(suspects.begin(), suspects.end()), suspects.end());
  for (const Trouble* trouble : troubles) {
    if (blameBySite(job, order, *trouble, verdict)) return;
  }
  const ProgramOrder::Answer answer = order.whoLeft(suspects);
  if (!order.knows(suspects)) return;
  if (troubles.size() == 1) {
    blameSide(job, *troubles.front(), answer, verdict);
    if (answer.deviants.empty()) {
      doubtBySite(job, order, *troubles.front(), verdict);
    }
  } else if (!answer.deviants.empty()) {
    nameDeviants(answer, verdict);
  } else if (verdict.culprits.size() > 1 || !hasMessage(troubles)) {
    // Whom most wait for says nothing: of two that are waited for, one may wait
    // for the other.
    if (!hasMessage(troubles)) verdict.culprits = verdict.ranks;
    verdict.culprit = Confidence::kUndecided;
  }
}

}  // namespace traced
