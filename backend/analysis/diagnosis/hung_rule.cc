#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/group_rules.h"
#include "analysis/diagnosis/words.h"

namespace traced {
namespace {

// A few whose last call it is, while the others made further ones; everybody
// where there are none.
std::vector<std::uint32_t> silentInside(const GroupStanding& standing) {
  std::vector<std::uint32_t> silent;
  for (const std::uint32_t rank : standing.inside) {
    const auto& last = standing.job().rank(rank)->last_issued;
    if (last && last->group == standing.group && last->seq == standing.seq) {
      silent.push_back(rank);
    }
  }
  const bool few =
      !silent.empty() && 2 * silent.size() <= standing.members.present.size();
  return few ? silent : standing.inside;
}

void tellHung(const GroupStanding& standing, JobVerdict& verdict) {
  verdict.summary = absl::StrCat(
      ranksVerb(standing.inside, "hangs", "hang"), " in ", standing.what(),
      standing.ended.empty()
          ? ": all members joined it, none ended it."
          : absl::StrCat(": all members joined it, and ",
                         ranksText(standing.ended), " ended it."));
  if (standing.waited_ns) {
    verdict.evidence.push_back(absl::StrCat("The last of them joined ",
                                            secondsText(*standing.waited_ns),
                                            " before the traces end."));
  }
  if (!standing.not_observed.empty()) {
    verdict.evidence.push_back(absl::StrCat("Whether it ended on ",
                                            ranksText(standing.not_observed),
                                            " nobody could observe."));
  }
  verdict.advice.push_back(
      "the network between the members, and the log of the backend");
}

}  // namespace

std::optional<Trouble> judgeHung(const GroupStanding& standing) {
  if (standing.inside.empty()) return std::nullopt;
  const bool matters =
      standing.closedInside() || standing.waited_ns.value_or(0) >=
                                     standing.knowledge.options().hung_after_ns;
  if (!matters) return std::nullopt;
  Trouble trouble = standing.trouble();
  // Who is absent may not have joined, or have called something else.
  if (!standing.members.absent.empty()) {
    tellUndecided(standing, {}, trouble);
    return trouble;
  }
  JobVerdict& verdict = trouble.verdict;
  verdict.kind = VerdictKind::kHungIn;
  verdict.ranks = standing.inside;
  verdict.culprits = silentInside(standing);
  if (verdict.culprits.size() < standing.inside.size()) {
    verdict.evidence.push_back(
        absl::StrCat("After joining it ", ranksText(verdict.culprits),
                     " recorded no further call, while the others went on."));
  }
  verdict.confidence =
      standing.unknown.empty() ? Confidence::kCertain : Confidence::kLikely;
  tellHung(standing, verdict);
  return trouble;
}

}  // namespace traced
