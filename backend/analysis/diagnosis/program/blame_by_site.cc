#include "analysis/diagnosis/program/blame_by_site.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/telling/words.h"

namespace traced {
namespace {

using Ranks = std::vector<std::uint32_t>;

std::string shiftText(const SiteShift& shift) {
  const std::string makers = ranksText(shift.makers);
  const std::string others = ranksText(shift.others);
  switch (shift.blamed) {
    case SiteShift::Blamed::kMakers:
      return absl::StrCat(makers, " likely made an extra call: ", shift.what,
                          " at ", shift.site, ", where ", others,
                          " called it at ", shift.others_site);
    case SiteShift::Blamed::kOthers:
      return absl::StrCat(others, " likely left out a call: ", shift.what,
                          " at ", shift.site, ", where ", makers,
                          " called it and ", others, " went on to ",
                          shift.others_site);
    case SiteShift::Blamed::kNobody:
      break;
  }
  return absl::StrCat(makers, " called ", shift.what, " at ", shift.site,
                      " and ", others, " at ", shift.others_site);
}

std::string proofOf(const SiteShift& shift) {
  if (shift.count == 0) {
    return "No later call shows which of them is out of step.";
  }
  return absl::StrCat("From #", shift.seq, " on, the call sites of ",
                      ranksText(shift.others), " match those of ",
                      ranksText(shift.makers), " if ", shift.count,
                      shift.count == 1 ? " call" : " calls", " of the latter ",
                      shift.count == 1 ? "is" : "are", " left out.");
}

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
  std::string rest = verdict.summary;
  if (rest.starts_with("Only ")) rest[0] = absl::ascii_tolower(rest[0]);
  verdict.summary =
      absl::StrCat(shiftText(shift), rest.empty() ? "." : "; ", rest);
  std::vector<std::string> evidence = {proofOf(shift)};
  if (!shift.reason.empty()) evidence.push_back(shift.reason);
  if (shift.blamed == SiteShift::Blamed::kNobody) {
    verdict.culprits = shift.makers;
    addRanks(verdict.culprits, shift.others);
    verdict.culprit = Confidence::kUndecided;
  } else {
    std::erase(verdict.evidence, kNoMajority);
    verdict.culprits = shift.culprits();
    verdict.culprit = Confidence::kLikely;
    const bool extra = shift.blamed == SiteShift::Blamed::kMakers;
    verdict.advice = {absl::StrCat(
        "why ",
        extra ? ranksVerb(verdict.culprits, "makes", "make")
              : ranksVerb(verdict.culprits, "does not make", "do not make"),
        " the call at ", shift.site)};
  }
  verdict.evidence.insert(verdict.evidence.begin(),
                          std::make_move_iterator(evidence.begin()),
                          std::make_move_iterator(evidence.end()));
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
