#include "analysis/diagnosis/lateness/gains.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "analysis/diagnosis/lateness/costly_ranks.h"
#include "analysis/reading/stream_reader.h"
#include "analysis/whatif/build_replay_job.h"
#include "analysis/whatif/whatif.h"

namespace traced {
namespace {

// A replay takes about a second and 200 MB per million operations.
constexpr std::uint64_t kMaxReplayed = 5'000'000;
// With no straggler known.
constexpr std::uint64_t kMaxSearched = 1'000'000;
// A replay that is further off proves nothing.
constexpr double kMaxError = 0.02;
constexpr std::size_t kMaxCandidates = 2;

bool isReplayable(const JobState& job, bool some_are_known) {
  std::uint64_t operations = 0;
  for (const RankState& rank : job.ranks) operations += rank.operations;
  return job.summary.absentRanks().empty() && !job.summary.losses().any() &&
         operations <= (some_are_known ? kMaxReplayed : kMaxSearched);
}

// The answers, and whether the program marked its steps.
struct Replayed {
  whatif::WhatIf answers;
  bool are_marked = false;
};

// Asks about the ranks that computed longest, and about these sets. Absent if
// the replay proves nothing.
std::optional<Replayed> askAboutRanks(
    const TraceSet& set, std::vector<std::vector<std::uint32_t>> sets) {
  RunSummary summary;
  std::uint64_t outside = 0;
  const whatif::ReplayJob job =
      whatif::buildReplayJob(set, {}, summary, outside);
  const whatif::Doubts& doubts = job.doubts;
  if (doubts.unfinished > 0 || doubts.failed > 0 || doubts.paused) return {};
  whatif::WhatIfOptions options;
  options.threads = readingThreads(set);
  options.max_rows = kMaxCandidates;
  options.only_ranks_above = whatif::kWorthNaming;
  options.sets = std::move(sets);
  options.with_computing = true;
  Replayed result{whatif::whatIf(job, options), job.has_steps};
  if (result.answers.refusal || result.answers.forced > 0 ||
      whatif::replayError(result.answers) > kMaxError) {
    return {};
  }
  return result;
}

// Returns the answer about a set of ranks, or null.
const whatif::Answer* answerAbout(const whatif::WhatIf& result,
                                  const std::vector<std::uint32_t>& ranks) {
  for (const whatif::Answer& answer : result.answers) {
    const bool is_set = answer.question == whatif::Question::kRanks;
    if (is_set && answer.ranks == ranks) return &answer;
  }
  return nullptr;
}

// Moves stragglers behind the other verdicts, the costliest of them first and
// those of unknown cost last.
void sortStragglers(std::vector<JobVerdict>& verdicts) {
  const auto cost = [](const JobVerdict& verdict) {
    if (!isStraggler(verdict)) return -2.0;
    return verdict.saves ? -verdict.saves->part : 2.0;
  };
  std::stable_sort(verdicts.begin(), verdicts.end(),
                   [&cost](const JobVerdict& a, const JobVerdict& b) {
                     return cost(a) < cost(b);
                   });
}

}  // namespace

void findGains(const JobState& job, const TraceSet& set,
               std::vector<JobVerdict>& verdicts) {
  std::vector<std::vector<std::uint32_t>> sets;
  for (const JobVerdict& verdict : verdicts) {
    if (isStraggler(verdict)) sets.push_back(verdict.culprits);
  }
  if (!isReplayable(job, !sets.empty())) return;
  const auto result = askAboutRanks(set, std::move(sets));
  if (!result) return;
  for (JobVerdict& verdict : verdicts) {
    if (!isStraggler(verdict)) continue;
    const auto* answer = answerAbout(result->answers, verdict.culprits);
    if (answer) addGain(*answer, verdict);
  }
  // Unrecorded waits may look like computing.
  if (result->answers.doubts.unseen_waits == 0) {
    addCostlyRanks(result->answers, result->are_marked, verdicts);
  }
  std::erase_if(verdicts, [](const JobVerdict& verdict) {
    return verdict.saves && verdict.saves->high < whatif::kWorthNaming;
  });
  sortStragglers(verdicts);
}

}  // namespace traced
