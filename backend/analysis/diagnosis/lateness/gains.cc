#include "analysis/diagnosis/lateness/gains.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "analysis/reading/stream_reader.h"
#include "analysis/whatif/build_replay_job.h"
#include "analysis/whatif/whatif.h"

namespace traced {
namespace {

// A replay takes about a second and 200 MB per million.
constexpr std::uint64_t kMaxReplayed = 5'000'000;
constexpr double kWorthAVerdict = 0.01;
// A replay that is further off proves nothing.
constexpr double kMaxError = 0.02;

bool isStraggler(const JobVerdict& verdict) {
  return verdict.kind == VerdictKind::kStraggler && !verdict.culprits.empty();
}

// Returns what each set of ranks would save. Empty if unknown.
std::vector<whatif::Answer> answersFor(
    const TraceSet& set, std::vector<std::vector<std::uint32_t>> sets) {
  RunSummary summary;
  std::uint64_t outside = 0;
  const whatif::ReplayJob job =
      whatif::buildReplayJob(set, {}, summary, outside);
  const whatif::Doubts& doubts = job.doubts;
  if (doubts.unfinished > 0 || doubts.failed > 0 || doubts.paused) return {};
  whatif::WhatIfOptions options;
  options.threads = readingThreads(set);
  options.sets = std::move(sets);
  whatif::WhatIf result = whatif::whatIf(job, options);
  if (result.refusal || result.forced > 0 ||
      whatif::replayError(result) > kMaxError) {
    return {};
  }
  return std::move(result.answers);
}

}  // namespace

void findGains(const JobState& job, const TraceSet& set,
               std::vector<JobVerdict>& verdicts) {
  std::vector<std::vector<std::uint32_t>> sets;
  for (const JobVerdict& verdict : verdicts) {
    if (isStraggler(verdict)) sets.push_back(verdict.culprits);
  }
  std::uint64_t operations = 0;
  for (const RankState& rank : job.ranks) operations += rank.operations;
  const bool is_complete =
      job.summary.absentRanks().empty() && !job.summary.losses().any();
  if (sets.empty() || !is_complete || operations > kMaxReplayed) return;
  const std::vector<whatif::Answer> answers = answersFor(set, std::move(sets));
  for (JobVerdict& verdict : verdicts) {
    if (!isStraggler(verdict)) continue;
    for (const whatif::Answer& answer : answers) {
      if (answer.question != whatif::Question::kRanks ||
          answer.ranks != verdict.culprits) {
        continue;
      }
      verdict.saves = WouldSave{answer.ranks, answer.saves.value,
                                answer.saves.low, answer.saves.high};
      verdict.reasons.push_back(*verdict.saves);
      break;
    }
  }
  std::erase_if(verdicts, [](const JobVerdict& verdict) {
    return verdict.saves && verdict.saves->high < kWorthAVerdict;
  });
  // Others come last in their kind, in the order that they have.
  const auto place = [](const JobVerdict& verdict) {
    return std::pair(verdict.kind, verdict.saves ? -verdict.saves->part : 1.0);
  };
  std::stable_sort(verdicts.begin(), verdicts.end(),
                   [&place](const JobVerdict& a, const JobVerdict& b) {
                     return place(a) < place(b);
                   });
}

}  // namespace traced
