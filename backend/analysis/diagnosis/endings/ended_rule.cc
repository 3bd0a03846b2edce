#include "analysis/diagnosis/endings/ended_rule.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/telling/words.h"

namespace traced {
namespace {

constexpr std::size_t kMostTold = 4;

// Whether the program caught the failure of an operation, called others, and
// ended by an exception that does not quote it.
bool endedByAnother(const RankState& rank) {
  constexpr std::size_t kQuoted = 40;
  const auto& failure = rank.first_failure;
  return failure && rank.end.kind == EndKind::kRaised && rank.last_issued &&
         rank.last_issued->at_ns > failure->at_ns && !failure->error.empty() &&
         !absl::StrContains(rank.end.exception,
                            failure->error.substr(0, kQuoted));
}

// Returns whose end no operation explains, the first one first: those without a
// failed operation, unless `only_others`, and those that went on after it.
std::vector<const RankState*> failedAlone(const JobState& job,
                                          bool only_others) {
  std::vector<const RankState*> failed;
  for (const RankState& rank : job.ranks) {
    const bool alone = !rank.first_failure && !only_others;
    if (rank.end.failed() && (alone || endedByAnother(rank))) {
      failed.push_back(&rank);
    }
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

// How long it had been in an operation when somebody else may have ended it;
// absent where that was too short to stand still.
std::optional<std::int64_t> stoodStillNs(const RankState& rank,
                                         const DiagnosisOptions& options) {
  const bool may_be =
      rank.end.mayBeConsequence() && rank.end_seen_ns && !rank.inside.empty();
  if (!may_be) return std::nullopt;
  const std::int64_t waited_ns = *rank.end_seen_ns - rank.inside.front().at_ns;
  if (waited_ns < options.hung_after_ns) return std::nullopt;
  return waited_ns;
}

}  // namespace

std::vector<JobVerdict> findFailedProcesses(
    const JobState& job, const DiagnosisOptions& options,
    const std::vector<JobVerdict>& others) {
  const auto explains = [](const JobVerdict& verdict) {
    return traitsOf(verdict.kind).explains_failures;
  };
  const bool explained = std::any_of(others.begin(), others.end(), explains);
  const std::vector<const RankState*> failed = failedAlone(job, explained);
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
  if (first.first_failure) {
    verdict.evidence.push_back(
        absl::StrCat("Rank ", first.rank, " had caught the failure of ",
                     placedText(job, *first.first_failure), " and gone on to ",
                     placedText(job, *first.last_issued), "."));
  }
  std::sort(verdict.ranks.begin(), verdict.ranks.end());
  std::sort(verdict.culprits.begin(), verdict.culprits.end());
  verdict.summary =
      verdict.culprits.size() == 1
          ? absl::StrCat(ranksText(verdict.culprits), " ", endText(first.end),
                         ".")
          : absl::StrCat(ranksText(verdict.culprits), " failed alike; rank ",
                         first.rank, " first: it ", endText(first.end), ".");
  if (const auto waited_ns = stoodStillNs(first, options)) {
    verdict.evidence.push_back(
        absl::StrCat("Rank ", first.rank, " had been in ",
                     placedText(job, first.inside.front()), " for ",
                     secondsText(*waited_ns), " by then."));
    verdict.culprits.clear();
    verdict.culprit = Confidence::kUndecided;
  }
  verdict.advice.push_back(
      absl::StrCat("the log of ", ranksText({first.rank})));
  return {std::move(verdict)};
}

}  // namespace traced
