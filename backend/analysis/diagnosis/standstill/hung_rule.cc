#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/standstill/group_rules.h"
#include "analysis/diagnosis/telling/words.h"

namespace traced {
namespace {

// A few whose last call it is, while the others made further ones; everybody
// where there are none.
std::vector<std::uint32_t> silentInside(const GroupStanding& standing) {
  std::vector<std::uint32_t> silent;
  // Who has not ended what others have is behind them, whatever it called.
  if (!standing.ended.empty() && !standing.knowledge.tellsAges()) {
    return standing.inside;
  }
  std::vector<std::uint32_t> candidates = standing.inside;
  // Of a rank that stopped, device and all, nobody tells whether it ended.
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

// Certain where each of them is seen to be inside, and its records go on while
// it stands still.
Confidence confidenceOf(const GroupStanding& standing) {
  const bool all_known =
      standing.unknown.empty() && standing.since_ns &&
      standing.perhaps().empty() &&
      std::all_of(standing.inside.begin(), standing.inside.end(),
                  [&](std::uint32_t rank) {
                    return standing.knowledge.isKnownAfter(
                        *standing.job().rank(rank), *standing.since_ns);
                  });
  return all_known ? Confidence::kCertain : Confidence::kLikely;
}

void tellHung(const GroupStanding& standing, JobVerdict& verdict) {
  verdict.summary = absl::StrCat(
      ranksVerb(standing.inside, "hangs", "hang"), " in ", standing.what(),
      standing.waited_ns
          ? absl::StrCat(", for ", secondsText(*standing.waited_ns))
          : "",
      standing.ended.empty()
          ? ": all members joined it, none ended it."
          : absl::StrCat(": all members joined it, and ",
                         ranksText(standing.ended), " ended it."));
  if (standing.waited_ns && standing.knowledge.tellsAges()) {
    verdict.evidence.push_back(absl::StrCat("The last of them joined ",
                                            secondsText(*standing.waited_ns),
                                            " before the traces end."));
  }
  if (!standing.ended.empty() && standing.needsAll() &&
      !standing.knowledge.tellsAges()) {
    verdict.evidence.push_back(absl::StrCat(
        "Nobody ends it before all have started it: ",
        ranksVerb(standing.inside, "has", "have"),
        " started it too, and the device or the watchdog there stopped, or "
        "the dump was made before."));
  }
  if (!standing.not_observed.empty()) {
    verdict.evidence.push_back(absl::StrCat("Whether it ended on ",
                                            ranksText(standing.not_observed),
                                            " nobody could observe."));
  }
  if (const auto perhaps = standing.perhaps(); !perhaps.empty()) {
    verdict.evidence.push_back(absl::StrCat(
        "That ", ranksVerb(perhaps, "waits", "wait"),
        " for it is not recorded, and nothing but a wait shows its end: the "
        "program may stand still elsewhere."));
  }
  verdict.advice.push_back(
      "the network between the members, and the log of the backend");
}

// Everybody whose dump is here waits.
void blameAbsent(const GroupStanding& standing, Trouble& trouble) {
  const std::vector<std::uint32_t>& absent = standing.members.absent;
  trouble.without_dump = absent;
  JobVerdict& verdict = trouble.verdict;
  verdict.kind = VerdictKind::kNeverJoined;
  verdict.finding = verdict.culprit = Confidence::kLikely;
  verdict.ranks = verdict.culprits = absent;
  verdict.summary =
      absl::StrCat(ranksVerb(absent, "has", "have"), " left no dump, and ",
                   ranksVerb(standing.inside, "waits", "wait"), " in ",
                   standing.what(), ".");
  verdict.evidence.push_back(
      "A process that lives makes a dump when the others do: it had ended, or "
      "could not, or its dump is not among these.");
  verdict.advice.push_back(
      absl::StrCat("the log of ", ranksText(absent), ", and its dump"));
}

}  // namespace

std::optional<Trouble> judgeHung(const GroupStanding& standing) {
  if (standing.inside.empty()) return std::nullopt;
  // Ends on a device are told late, or not to a process that has left.
  const bool left_inside = standing.closedInside() && !standing.onDevice();
  const bool matters = left_inside || standing.knowledge.standsStill(
                                          standing.waited_ns.value_or(0));
  if (!matters) return std::nullopt;
  Trouble trouble = standing.trouble();
  // Who is absent may not have joined, or have called something else.
  if (!standing.members.absent.empty()) {
    if (standing.knowledge.expectsDumps(standing.group)) {
      blameAbsent(standing, trouble);
    } else {
      tellUndecided(standing, {}, trouble);
    }
    return trouble;
  }
  JobVerdict& verdict = trouble.verdict;
  verdict.kind = VerdictKind::kHungIn;
  verdict.ranks = standing.inside;
  verdict.culprits = silentInside(standing);
  if (verdict.culprits != standing.inside) {
    verdict.evidence.push_back(
        absl::StrCat("After joining it ", ranksText(verdict.culprits),
                     " recorded no further call, while the others went on."));
  }
  verdict.finding = confidenceOf(standing);
  const bool few = verdict.culprits.size() < standing.members.present.size();
  verdict.culprit = few ? Confidence::kLikely : Confidence::kUndecided;
  tellHung(standing, verdict);
  tellStops(standing, verdict);
  return trouble;
}

}  // namespace traced
