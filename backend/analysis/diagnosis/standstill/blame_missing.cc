#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/standstill/cut_off.h"
#include "analysis/diagnosis/standstill/group_rules.h"
#include "analysis/diagnosis/telling/words.h"

namespace traced {
namespace {

// Whether a rank ended by itself without the operation.
bool processEnded(const GroupStanding& standing, std::uint32_t rank) {
  const RankState& state = *standing.job().rank(rank);
  if (!state.inside.empty() || state.first_failure) return false;
  if (standing.stoodStillBeforeEndOf(rank)) return false;
  if (state.end.wasInterrupted()) return true;
  // What it raised it did not because others waited.
  if (state.end.failed()) return true;
  // One that was recovered may have been killed long after.
  if (!state.closed) return false;
  // Ending takes a while, but what fails only behind that did not end it.
  if (standing.failed_ns && state.last_ns < *standing.failed_ns) return true;
  // One that lived while the others waited had not left.
  const bool lived_on =
      standing.since_ns && standing.longest_ns > 0 &&
      state.last_ns - *standing.since_ns > standing.longest_ns / 2;
  return !lived_on;
}

// For a line that tells more: up to the end of its first sentence, which may be
// cut.
std::string shortEnd(const ProcessEnd& end) {
  constexpr std::size_t kMostBytes = 120;
  const std::string text = endText(end);
  const std::string first = text.substr(0, text.find(". "));
  return first.size() <= kMostBytes ? first : nameOf(end.kind);
}

// Returns why they left: "raised ValueError: boom before".
std::string whyTheyLeft(const GroupStanding& standing,
                        const std::vector<std::uint32_t>& left) {
  const ProcessEnd& first = standing.job().rank(left.front())->end;
  const bool alike =
      std::all_of(left.begin(), left.end(), [&](std::uint32_t rank) {
        return shortEnd(standing.job().rank(rank)->end) == shortEnd(first);
      });
  if (!alike) return " left before";
  return absl::StrCat(" ", endOf(left, shortEnd(first)), " before");
}

// Returns "rank 1 never joined all_reduce #2", or what a live rank may still
// do.
std::string whatTheyDid(const GroupStanding& standing,
                        const std::vector<std::uint32_t>& ranks,
                        const std::vector<std::uint32_t>& left) {
  if (!left.empty()) {
    return absl::StrCat(ranksText(ranks), whyTheyLeft(standing, left), " ",
                        standing.what());
  }
  const bool live = std::all_of(
      ranks.begin(), ranks.end(),
      [&](std::uint32_t rank) { return standing.job().rank(rank)->running; });
  return live ? absl::StrCat(ranksVerb(ranks, "has", "have"), " not joined ",
                             standing.what(), " yet")
              : absl::StrCat(ranksText(ranks), " never joined ",
                             standing.what());
}

std::string whatTheOthersDo(const GroupStanding& standing) {
  const auto verb = [](const std::vector<std::uint32_t>& ranks, const char* one,
                       const char* many) {
    return ranks.size() == 1 ? one : many;
  };
  if (!standing.inside.empty()) {
    const bool perhaps = standing.perhaps() == standing.inside;
    return absl::StrCat(
        whoElse(standing, standing.inside),
        perhaps ? " may wait for it"
                : verb(standing.inside, " waits for it", " wait for it"),
        standing.longest_ns > 0
            ? absl::StrCat(standing.at_least ? ", for at least " : ", for ",
                           secondsText(standing.longest_ns))
            : "");
  }
  return standing.failed.empty()
             ? absl::StrCat(whoElse(standing, standing.joined()), " called it")
             : absl::StrCat("it failed on ",
                            whoElse(standing, standing.failed));
}

// Those who went on are a majority that made one call less, or half of all.
void blameJoined(const GroupStanding& standing,
                 const std::vector<std::uint32_t>& missing,
                 JobVerdict& verdict) {
  const std::vector<std::uint32_t> joined = standing.joined();
  if (missing.size() > joined.size()) {
    verdict.kind = VerdictKind::kNeverJoined;
    verdict.ranks = missing;
    verdict.culprits = joined;
    verdict.summary =
        absl::StrCat("Only ", ranksText(joined), " called ", standing.what(),
                     "; ", ranksText(missing), " ended without it.");
  } else if (missing.size() > 1) {
    addRanks(verdict.culprits, joined);
    verdict.culprit = Confidence::kUndecided;
    verdict.evidence.push_back(kNoMajority);
  } else {
    verdict.evidence.push_back(
        "Its process ended by itself: if it was not to make this call, the "
        "other made one too many. Two cannot outvote each other.");
  }
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
  verdict.summary = left.empty() ? cutOffText(standing, missing, verdict) : "";
  if (verdict.summary.empty()) {
    verdict.summary = absl::StrCat(whatTheyDid(standing, verdict.ranks, killed),
                                   "; ", whatTheOthersDo(standing), ".");
  }
  for (std::size_t i = 0; i < missing.size() && i < 4; ++i) {
    verdict.now.push_back(standing.knowledge.insteadText(missing[i]));
  }
  if (jobWasEnded(standing, missing)) {
    verdict.culprits.clear();
    verdict.culprit = Confidence::kUndecided;
    verdict.evidence.push_back("All its members were interrupted or killed.");
    return;
  }
  const bool all_went_on = left.size() == missing.size();
  if (all_went_on && missing.size() >= joined.size() &&
      standing.members.absent.empty()) {
    blameJoined(standing, missing, verdict);
  }
  verdict.advice.push_back(
      absl::StrCat("where ", ranksVerb(verdict.culprits, "is", "are"),
                   " in the program, and its log"));
}

}  // namespace traced
