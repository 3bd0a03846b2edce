#include "analysis/diagnosis/lateness/costly_ranks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>

namespace traced {
namespace {

using whatif::Answer;
using whatif::LongSteps;

// A rank that saves kMinSaved is named if its extra computing is beyond chance.
// One of these holds: it is longer than the median of its peers more often than
// a fair coin would say by kDeviations standard deviations; kMinSteps long
// steps add up to kManyTimes the extra of any other rank; or a typical extra is
// kOutlying times theirs.
constexpr double kMinSaved = 0.03;
constexpr double kDeviations = 5;
constexpr double kManyTimes = 3;
constexpr double kOutlying = 5;
constexpr std::size_t kMinLongSteps = 3;
constexpr std::size_t kMinSteps = 12;
constexpr double kNoticeableExtraNs = 1'000'000;
// Ranks take turns if at most in this part of the long steps several are long.
constexpr double kAtOnce = 0.2;

// Returns whether the ranks compute longer mostly one at a time.
bool inTurn(const std::vector<LongSteps>& ranks) {
  std::map<std::uint64_t, std::size_t> long_ranks;
  for (const LongSteps& each : ranks) {
    for (const std::uint64_t step : each.steps) ++long_ranks[step];
  }
  const auto at_once =
      std::count_if(long_ranks.begin(), long_ranks.end(),
                    [](const auto& step) { return step.second > 1; });
  return ranks.size() > 1 &&
         static_cast<double>(at_once) <=
             kAtOnce * static_cast<double>(long_ranks.size());
}

bool isBeyondChance(const LongSteps& each) {
  const auto steps = static_cast<double>(each.with_peers);
  const double more_often = 2 * static_cast<double>(each.longer) - steps;
  const bool adds_up = each.steps.size() >= kMinSteps &&
                       each.extra.all_ns >= kManyTimes * each.of_others.all_ns;
  return more_often >= kDeviations * std::sqrt(steps) || adds_up ||
         each.extra.typical_ns >= kOutlying * each.of_others.typical_ns;
}

// Long steps at the beginning only, as of a rank that warms up, are over.
bool isWorthNaming(const LongSteps& each) {
  return each.with_peers >= kMinSteps && each.steps.size() >= kMinLongSteps &&
         each.in_later_half && each.median_ns >= kNoticeableExtraNs &&
         isBeyondChance(each);
}

JobVerdict verdictAbout(const Answer& answer, bool in_turn, bool are_marked) {
  JobVerdict verdict;
  verdict.kind = VerdictKind::kStraggler;
  verdict.finding = verdict.culprit = Confidence::kLikely;
  verdict.ranks = verdict.culprits = answer.ranks;
  verdict.summary = {ComputedLonger{answer.ranks, in_turn}};
  for (const LongSteps& each : answer.long_steps) {
    verdict.reasons.push_back(
        LongerInSteps{each.rank, static_cast<std::int64_t>(each.median_ns),
                      each.steps, each.with_peers, are_marked});
    verdict.late.push_back(
        {each.rank, static_cast<std::int64_t>(std::min(each.extra_ns, 4e18)),
         each.computing});
  }
  addGain(answer, verdict);
  verdict.advice.push_back(AskBeforeCalls{answer.ranks});
  return verdict;
}

bool isWithin(const std::vector<std::uint32_t>& part,
              const std::vector<std::uint32_t>& whole) {
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

}  // namespace

bool isStraggler(const JobVerdict& verdict) {
  return verdict.kind == VerdictKind::kStraggler && !verdict.culprits.empty();
}

void addGain(const Answer& answer, JobVerdict& verdict) {
  verdict.saves = WouldSave{answer.ranks, answer.saves.value, answer.saves.low,
                            answer.saves.high};
  verdict.reasons.push_back(*verdict.saves);
}

void addCostlyRanks(const whatif::WhatIf& replayed, bool are_marked,
                    std::vector<JobVerdict>& verdicts) {
  const Answer* answer = whatif::costliest(replayed);
  if (!answer || answer->saves.value < kMinSaved ||
      !std::all_of(answer->long_steps.begin(), answer->long_steps.end(),
                   isWorthNaming)) {
    return;
  }
  const bool in_turn = inTurn(answer->long_steps);
  const bool are_few = 2 * answer->ranks.size() <= replayed.comparable_ranks;
  if (!are_few && !in_turn) return;
  for (const JobVerdict& verdict : verdicts) {
    if (isStraggler(verdict) && isWithin(answer->ranks, verdict.culprits)) {
      return;
    }
  }
  std::erase_if(verdicts, [&](const JobVerdict& verdict) {
    return isStraggler(verdict) && isWithin(verdict.culprits, answer->ranks);
  });
  verdicts.push_back(verdictAbout(*answer, in_turn, are_marked));
}

}  // namespace traced
