#include "analysis/diagnosis/endings/ended_rule.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/telling/words.h"

namespace traced {
namespace {

constexpr std::size_t kMostTold = 4;

// Who failed without an operation that failed before: by when it is known to
// have, the first one first.
std::vector<const RankState*> failedAlone(const JobState& job) {
  std::vector<const RankState*> failed;
  for (const RankState& rank : job.ranks) {
    if (rank.end.failed() && !rank.first_failure) failed.push_back(&rank);
  }
  std::stable_sort(failed.begin(), failed.end(),
                   [](const RankState* a, const RankState* b) {
                     return a->ended_ns < b->ended_ns;
                   });
  return failed;
}

// What ranks that fail alike have in common: messages differ in numbers.
std::string manner(const RankState& rank) {
  const std::string text = endText(rank.end);
  return text.substr(0, text.find(':'));
}

}  // namespace

std::vector<JobVerdict> findFailedProcesses(
    const JobState& job, const std::vector<JobVerdict>& others) {
  const auto explains = [](const JobVerdict& verdict) {
    return traitsOf(verdict.kind).explains_failures;
  };
  if (std::any_of(others.begin(), others.end(), explains)) return {};
  const std::vector<const RankState*> failed = failedAlone(job);
  if (failed.empty()) return {};
  const RankState& first = *failed.front();
  JobVerdict verdict;
  verdict.kind = VerdictKind::kProcessFailed;
  // That it failed was seen; that this ended the job was not.
  verdict.finding = Confidence::kCertain;
  verdict.culprit = Confidence::kLikely;
  verdict.since_ns = first.ended_ns;
  std::size_t told = 0;
  for (const RankState* rank : failed) {
    verdict.ranks.push_back(rank->rank);
    if (manner(*rank) == manner(first)) {
      verdict.culprits.push_back(rank->rank);
    }
    if (rank == &first || ++told > kMostTold) continue;
    verdict.evidence.push_back(absl::StrCat(
        "Rank ", rank->rank, " ", endText(rank->end), ".",
        rank->clock == first.clock
            ? absl::StrCat(" That was ",
                           secondsText(rank->ended_ns - first.ended_ns),
                           " later.")
            : ""));
  }
  std::sort(verdict.ranks.begin(), verdict.ranks.end());
  std::sort(verdict.culprits.begin(), verdict.culprits.end());
  verdict.summary =
      verdict.culprits.size() == 1
          ? absl::StrCat(ranksText(verdict.culprits), " ", endText(first.end),
                         ".")
          : absl::StrCat(ranksText(verdict.culprits), " failed alike; rank ",
                         first.rank, " first: it ", endText(first.end), ".");
  verdict.advice.push_back(
      absl::StrCat("the log of ", ranksText({first.rank})));
  return {std::move(verdict)};
}

}  // namespace traced
