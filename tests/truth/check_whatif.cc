// Checks that the range of a what-if answer holds what a planted delay cost.

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/whatif/build_replay_job.h"
#include "analysis/whatif/whatif.h"
#include "truth/clocks.h"
#include "truth/random.h"
#include "truth/simulate.h"
#include "truth/trial.h"

namespace traced::truth {
namespace {

// Answers are printed in percent of the run.
constexpr double kTolerance = 0.005;

// Returns the time from the first call or step of any rank to the last end.
double spanNs(const History& history) {
  std::int64_t begin = kNever;
  std::int64_t end = 0;
  for (const RankHistory& rank : history.ranks) {
    if (!rank.steps.empty()) begin = std::min(begin, rank.steps.front().at);
    for (const Happened& op : rank.operations) {
      begin = std::min(begin, op.issued);
      end = std::max(end, op.issued);
      const std::int64_t over = op.wait_ended != kNever ? op.wait_ended
                                : op.stamped != kNever  ? op.stamped
                                                        : op.ended;
      if (over != kNever) end = std::max(end, over);
    }
  }
  return static_cast<double>(end - begin);
}

bool isJudged(const Trial& trial) {
  const FaultKind kind = trial.program.fault.kind;
  const bool delays = kind == FaultKind::kStraggler || kind == FaultKind::kLate;
  return delays && trial.isWhole() && !trial.history.out_of_step &&
         !trial.history.hung && trial.isFaulty() &&
         !anyClockStepped(trial.program, trial.history.end);
}

}  // namespace

Program withDelay(Program program) {
  Random random(program.seed, {50});
  program.variation = {};
  program.own_groups = false;
  program.steps = std::min(program.steps, 30U);
  Fault& fault = program.fault;
  fault = {};
  fault.kind = random.oneOf({FaultKind::kStraggler, FaultKind::kLate});
  fault.rank = random.below(program.world);
  fault.step = random.below(program.steps);
  fault.item = program.items[random.below(program.items.size())].id;
  // Without marks, the computing before the first call is not in the trace.
  program.step_marks |= fault.kind == FaultKind::kStraggler || fault.step == 0;
  fault.ns = random.oneOf<std::int64_t>({3'000'000, 20'000'000, 40'000'000});
  return program;
}

WhatIfTruth checkWhatIf(const Trial& trial, const TraceSet& set, Lies& lies) {
  RunSummary summary;
  std::uint64_t outside = 0;
  const whatif::ReplayJob job =
      whatif::buildReplayJob(set, {}, summary, outside);
  const whatif::WhatIf result = whatif::whatIf(job, {});
  WhatIfTruth truth;
  if (result.refusal || !isJudged(trial)) return truth;
  truth.replay_error = whatif::replayError(result);
  const auto found =
      std::find_if(result.answers.begin(), result.answers.end(),
                   [&](const whatif::Answer& answer) {
                     return answer.question == whatif::Question::kRank &&
                            answer.number == trial.program.fault.rank;
                   });
  if (found == result.answers.end()) return truth;
  Program healthy = trial.program;
  healthy.fault = {};
  truth.saves = 1 - spanNs(simulate(healthy)) / spanNs(trial.history);
  truth.answered = true;
  truth.off = found->saves.value - truth.saves;
  truth.width = found->saves.high - found->saves.low;
  if (found->saves.low - kTolerance <= truth.saves &&
      truth.saves <= found->saves.high + kTolerance) {
    return truth;
  }
  lies.push_back({"what a delay costs",
                  absl::StrCat("rank ", found->number, ": said ",
                               found->saves.value, " in [", found->saves.low,
                               ", ", found->saves.high, "], was ", truth.saves,
                               "; replay off by ", truth.replay_error)});
  return truth;
}

}  // namespace traced::truth
