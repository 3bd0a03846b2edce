#include "analysis/diagnosis/program/blame_by_site.h"

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

}  // namespace traced
