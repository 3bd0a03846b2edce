#include "analysis/diagnosis/program/blame.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace traced {
namespace {

using Ranks = std::vector<std::uint32_t>;

Ranks joinedOf(const JobState& job, const StuckOperation& stuck) {
  const Ranks present = job.membersOf(stuck.verdict.group).present;
  Ranks joined;
  std::set_difference(present.begin(), present.end(), stuck.missing.begin(),
                      stuck.missing.end(), std::back_inserter(joined));
  return joined;
}

std::optional<SiteOrder> sitesOf(ProgramOrder& order,
                                 const StuckOperation& stuck) {
  if (stuck.verdict.pair || stuck.verdict.seq == 0) return std::nullopt;
  Ranks suspects = stuck.inside;
  addRanks(suspects, stuck.missing);
  return order.sitesOf(stuck.verdict.group, suspects);
}

// Returns whether one of the ranks failed by itself. Such a rank makes no
// further calls, whatever it did before.
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
    std::erase_if(verdict.reasons, isTwoCannotOutvote);
    verdict.culprits = shift.culprits();
    verdict.culprit = Confidence::kLikely;
    verdict.advice = {AskWhyCalled{verdict.culprits, extra, shift.site}};
  }
  std::vector<Fact> reasons = {PlainFact::kNoLaterCall};
  if (shift.count > 0) {
    reasons = {
        SitesMatchWithout{shift.seq, shift.others, shift.makers, shift.count}};
  }
  if (shift.reason) reasons.push_back(*shift.reason);
  verdict.reasons.insert(verdict.reasons.begin(), reasons.begin(),
                         reasons.end());
}

bool blameBySite(const JobState& job, ProgramOrder& order,
                 const StuckOperation& stuck, JobVerdict& verdict) {
  const auto sites = sitesOf(order, stuck);
  if (!sites || anyFailed(job, stuck.missing)) return false;
  const auto shift = sites->findShift(joinedOf(job, stuck), stuck.missing);
  if (!shift || shift->seq >= stuck.verdict.seq) return false;
  // A rank that is behind made no extra call.
  if (!std::includes(stuck.missing.begin(), stuck.missing.end(),
                     shift->others.begin(), shift->others.end())) {
    return false;
  }
  nameShift(*shift, verdict);
  return true;
}

void doubtBySite(const JobState& job, ProgramOrder& order,
                 const StuckOperation& stuck, JobVerdict& verdict) {
  const auto sites = sitesOf(order, stuck);
  if (!sites || anyFailed(job, stuck.missing)) return;
  const auto shift =
      sites->findLastDifference(joinedOf(job, stuck), stuck.missing);
  if (shift) nameShift(*shift, verdict);
}

namespace {

using Ranks = std::vector<std::uint32_t>;

void nameBoth(const Ranks& ranks, JobVerdict& verdict) {
  verdict.culprits = ranks;
  verdict.culprit = Confidence::kUndecided;
  verdict.reasons.push_back(PlainFact::kTwoCannotOutvote);
}

bool holdsAny(const Ranks& all, const Ranks& some) {
  return std::any_of(some.begin(), some.end(), [&](std::uint32_t rank) {
    return std::binary_search(all.begin(), all.end(), rank);
  });
}

// Returns whether the rank neither continues nor waits. It may simply not have
// reached the call yet.
bool isIdle(const JobState& job, std::uint32_t rank) {
  const RankState* state = job.rank(rank);
  return state && (!state->closed || state->end.wasInterrupted()) &&
         state->inside.empty() && !state->first_failure;
}

bool hasMessage(const std::vector<const StuckOperation*>& all_stuck) {
  return std::any_of(all_stuck.begin(), all_stuck.end(),
                     [](const StuckOperation* stuck) {
                       return stuck->verdict.pair.has_value();
                     });
}

// Blames ranks if some called the operation and others did not.
void blameSide(const JobState& job, const StuckOperation& stuck,
               const ProgramOrder::Answer& answer, JobVerdict& verdict) {
  const Ranks& joined = stuck.inside;
  const Ranks& missing = stuck.missing;
  // An idle rank may be stuck, even if the others' calls are unusual.
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
  // The waiting ranks did nothing unusual, and the missing ones do nothing.
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
  std::erase_if(verdict.reasons, isTwoCannotOutvote);
  verdict.reasons.insert(verdict.reasons.end(), answer.reasons.begin(),
                         answer.reasons.end());
}

void blameByOrder(const JobState& job, ProgramOrder& order,
                  const std::vector<const StuckOperation*>& all_stuck,
                  JobVerdict& verdict) {
  if (verdict.finding == Confidence::kUndecided) return;
  Ranks suspects;
  for (const StuckOperation* stuck : all_stuck) {
    // If all ranks joined, their calls do not show why nobody ends.
    if (stuck->missing.empty()) return;
    addRanks(suspects, stuck->inside);
    addRanks(suspects, stuck->missing);
    if (stuck->verdict.pair) addRanks(suspects, stuck->verdict.ranks);
  }
  suspects.erase(std::unique(suspects.begin(), suspects.end()), suspects.end());
  for (const StuckOperation* stuck : all_stuck) {
    if (blameBySite(job, order, *stuck, verdict)) return;
  }
  const ProgramOrder::Answer answer = order.deviants(suspects);
  if (!order.knows(suspects)) return;
  if (all_stuck.size() == 1) {
    blameSide(job, *all_stuck.front(), answer, verdict);
    if (answer.deviants.empty()) {
      doubtBySite(job, order, *all_stuck.front(), verdict);
    }
  } else if (!answer.deviants.empty()) {
    nameDeviants(answer, verdict);
  } else if (verdict.culprits.size() > 1 || !hasMessage(all_stuck)) {
    // The number of ranks that wait for a rank proves nothing: that rank may
    // itself wait for another.
    if (!hasMessage(all_stuck)) verdict.culprits = verdict.ranks;
    verdict.culprit = Confidence::kUndecided;
  }
}

}  // namespace traced
