#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/group_rules.h"
#include "analysis/diagnosis/words.h"

namespace traced {
namespace {

// Whether a rank ended in order without the operation.
bool processEnded(const GroupStanding& standing, std::uint32_t rank) {
  const RankState& state = *standing.job().rank(rank);
  // One that was recovered may have been killed long after, and one that
  // lived while the others waited had not left.
  const bool lived_on =
      standing.since_ns && standing.longest_ns > 0 &&
      state.last_ns - *standing.since_ns > standing.longest_ns / 2;
  return state.closed && state.inside.empty() && !state.first_failure &&
         !lived_on;
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
    verdict.evidence.push_back(kNoMajority);
  } else {
    verdict.evidence.push_back(
        "Its process ended in order: if it was not to make this call, the "
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
  verdict.ranks = verdict.culprits = left.empty() ? missing : left;
  verdict.summary =
      absl::StrCat(ranksText(verdict.ranks),
                   left.empty() ? " never joined " : " left before ",
                   standing.what(), ". ", ranksText(joined), " issued it",
                   standing.inside.empty() ? "." : " and wait.");
  for (std::size_t i = 0; i < missing.size() && i < 4; ++i) {
    verdict.evidence.push_back(standing.knowledge.insteadText(missing[i]));
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
