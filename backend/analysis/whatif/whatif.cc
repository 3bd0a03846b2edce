#include "analysis/whatif/whatif.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <utility>

#include "analysis/whatif/changes.h"
#include "analysis/whatif/network_questions.h"
#include "analysis/whatif/peer_gaps.h"
#include "analysis/whatif/pipeline.h"
#include "analysis/whatif/replay.h"
#include "base/threads.h"

namespace traced::whatif {
namespace {

// With more operations on a device without times, a replay means nothing.
constexpr double kMaxUntimed = 0.01;

// Below this part of the run, imbalance is not divided among its causes.
constexpr double kMinImbalance = 0.001;

std::optional<Refusal> refusalOf(const ReplayJob& job) {
  std::size_t ranks = 0;
  for (const RankEvents& rank : job.ranks) ranks += !rank.events.empty();
  if (ranks == 0) return Refusal::kNoOperations;
  if (ranks == 1) return Refusal::kOneRank;
  if (static_cast<double>(job.doubts.untimed) >
      kMaxUntimed * static_cast<double>(job.operations)) {
    return Refusal::kUntimed;
  }
  if (job.doubts.unaligned_clocks > 0) return Refusal::kClocks;
  if (job.measuredNs() <= 0) return Refusal::kNoOperations;
  return std::nullopt;
}

Estimate timeOf(const Replayed& replayed) {
  const double ns = replayed.ns[kEstimate];
  return {ns, std::min(ns, replayed.low()), std::max(ns, replayed.high())};
}

class Asker {
 public:
  Asker(const ReplayJob& job, const WhatIfOptions& options, WhatIf& result)
      : job_(job), options_(options), result_(result) {}

  void ask() {
    pipeline_ = findPipeline(job_);
    result_.stages = pipeline_.stages;
    gaps_ = comparePeers(job_, pipeline_.stage_of, options_.threads);
    if (pipeline_.any()) gaps_.mean = balancedGaps(job_, pipeline_);
    addUnchanged();
    if (!onlyRanks()) {
      addBalance();
      addStages();
    }
    addRanks();
    for (const auto& ranks : options_.sets) addSet(ranks);
    if (!onlyRanks()) {
      for (Asked& asked : networkQuestions(job_, options_)) {
        asked_.push_back(std::move(asked));
      }
      addOverlap();
    }
    replayAll();
    conclude();
  }

 private:
  Asked& add(Question question, std::function<Change()> change) {
    Asked& asked = asked_.emplace_back();
    asked.answer.question = question;
    asked.change = std::move(change);
    return asked;
  }

  void addUnchanged() {
    add(Question::kBalance, [] { return Change(); });
  }

  void addBalance() {
    transfers_ = medianTransfers(job_);
    add(Question::kBalance, [this] {
      Change change =
          changeOfRanks(job_, gaps_.mean, [](std::uint32_t) { return true; });
      change.transfer_ns = transfers_;
      return change;
    });
  }

  void addStages() {
    if (!pipeline_.any()) return;
    std::vector<std::pair<double, std::uint32_t>> by_sum;
    for (std::uint32_t stage = 0; stage < pipeline_.stages; ++stage) {
      by_sum.push_back({-excessOfStage(stage), stage});
    }
    std::sort(by_sum.begin(), by_sum.end());
    if (by_sum.size() > options_.max_rows) by_sum.resize(options_.max_rows);
    for (const auto& [excess_ns, stage] : by_sum) {
      Asked& asked = add(Question::kStage, [this, stage = stage] {
        return changeOfRanks(job_, gaps_.mean, [&](std::uint32_t rank) {
          return pipeline_.stage_of[rank] == stage;
        });
      });
      asked.answer.number = stage;
      for (std::uint32_t i = 0; i < job_.ranks.size(); ++i) {
        if (pipeline_.stage_of[i] == stage) {
          asked.answer.ranks.push_back(job_.ranks[i].rank);
        }
      }
    }
  }

  double excessOfStage(std::uint32_t stage) const {
    double excess_ns = 0;
    for (std::uint32_t i = 0; i < job_.ranks.size(); ++i) {
      if (pipeline_.stage_of[i] != stage) continue;
      const auto& events = job_.ranks[i].events;
      for (std::size_t e = 0; e < events.size(); ++e) {
        if (!events[e].is_unseen) {
          excess_ns += events[e].gap_ns - gaps_.mean[i][e];
        }
      }
    }
    return excess_ns;
  }

  bool onlyRanks() const { return options_.only_ranks_above > 0; }

  bool isWorthAsking(double extra_ns) const {
    return extra_ns >= options_.only_ranks_above * result_.measured_ns;
  }

  // Asks about the ranks with the most extra computing, and about those with
  // almost as much together.
  void addRanks() {
    const Suspects suspects = findSuspects(job_, gaps_);
    result_.without_peers = suspects.without_peers;
    result_.comparable_ranks = suspects.ranks.size();
    result_.replayed_ranks = 0;
    for (const Suspect& each : suspects.ranks) {
      if (result_.replayed_ranks == options_.max_rows) break;
      if (!isWorthAsking(each.extra_ns)) break;
      addRank(each.rank);
      ++result_.replayed_ranks;
    }
    const bool are_few = 2 * suspects.alike.size() <= suspects.ranks.size();
    if (!suspects.alike.empty() && result_.replayed_ranks > 0 &&
        (are_few || onlyRanks())) {
      addTogether(Question::kRanks, suspects.alike);
    }
  }

  // Asks about a set of ranks, given by their numbers, if all have peers.
  void addSet(const std::vector<std::uint32_t>& ranks) {
    std::vector<std::uint32_t> indices;
    for (std::uint32_t i = 0; i < job_.ranks.size(); ++i) {
      const auto& steps = gaps_.steps[i];
      const bool has_peers = std::any_of(
          steps.begin(), steps.end(),
          [](const StepComputing& step) { return step.peers_ns >= 0; });
      if (has_peers && std::find(ranks.begin(), ranks.end(),
                                 job_.ranks[i].rank) != ranks.end()) {
        indices.push_back(i);
      }
    }
    if (indices.size() == ranks.size()) {
      addTogether(Question::kRanks, indices);
    }
  }

  // Asks what ranks would save together. `ranks`: indices into
  // ReplayJob::ranks.
  Answer& addTogether(Question question,
                      const std::vector<std::uint32_t>& ranks) {
    RankChange together;
    together.change.gaps.resize(job_.ranks.size());
    std::vector<std::uint32_t> numbers;
    std::vector<bool> changes(job_.ranks.size());
    for (const std::uint32_t rank : ranks) changes[rank] = true;
    for (const std::uint32_t rank : ranks) {
      const RankChange one = changeOfRank(job_, gaps_, rank, changes);
      together.change.gaps[rank] = one.change.gaps[rank];
      together.unbounded |= one.unbounded;
      numbers.push_back(job_.ranks[rank].rank);
    }
    Asked& asked =
        add(question, [change = std::move(together.change)] { return change; });
    asked.answer.ranks = std::move(numbers);
    asked.answer.long_steps =
        longStepsOf(job_, gaps_, ranks, options_.with_computing);
    asked.unbounded = together.unbounded;
    asked.only_shortens = true;
    return asked.answer;
  }

  void addRank(std::uint32_t rank) {
    addTogether(Question::kRank, {rank}).number = job_.ranks[rank].rank;
  }

  void addOverlap() {
    // Without marks, it is unknown until when a wait can be postponed.
    if (!job_.has_steps) return;
    Asked& asked = add(Question::kOverlap, [this] {
      overlapped_ = overlappedEvents(job_);
      Change change;
      change.events = &overlapped_;
      return change;
    });
    asked.only_shortens = true;
  }

  void replayAll() {
    std::vector<Replayed> replayed(asked_.size());
    std::atomic<std::size_t> next{0};
    inThreads(options_.threads, [&](std::size_t) {
      for (std::size_t i = next++; i < asked_.size(); i = next++) {
        const bool is_ideal = i == 1 && options_.with_ideal_times;
        replayed[i] = replay(job_, asked_[i].change(),
                             is_ideal ? &result_.ideal_times : nullptr);
      }
    });
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      Estimate& run = asked_[i].answer.run_ns;
      run = timeOf(replayed[i]);
      const double recorded_ns =
          result_.measured_ns + result_.measured_error_ns;
      if (asked_[i].unbounded) run.high = std::max(run.high, recorded_ns);
      if (asked_[i].only_shortens) {
        run.high = std::max(run.value, std::min(run.high, recorded_ns));
      }
    }
    result_.forced = replayed[0].forced;
    result_.replayed_ns = asked_[0].answer.run_ns;
    if (!onlyRanks()) result_.ideal_ns = asked_[1].answer.run_ns;
  }

  void conclude() {
    const Estimate& ideal = result_.ideal_ns;
    const double replayed_ns = result_.replayed_ns.value;
    const double error = replayError(result_);
    const double longest_ns = result_.measured_ns + result_.measured_error_ns;
    const double shortest_ns = std::max(
        result_.measured_ns - result_.measured_error_ns, 0.01 * longest_ns);
    const double cost_ns = replayed_ns - ideal.value;
    const bool has_imbalance =
        !onlyRanks() && cost_ns > kMinImbalance * replayed_ns;
    if (ideal.low > 0) {
      const double slowdown = replayed_ns / ideal.value;
      result_.slowdown =
          Estimate{slowdown, std::min(slowdown, shortest_ns / ideal.high),
                   std::max(slowdown, longest_ns / ideal.low)};
    }
    for (std::size_t i = 1; i < asked_.size(); ++i) {
      Answer& answer = asked_[i].answer;
      const Estimate& run = answer.run_ns;
      const double saves = 1 - run.value / replayed_ns;
      // The replay of the change may be as far off as that of the run.
      answer.saves = {saves,
                      std::min(saves, 1 - run.high / shortest_ns) - error,
                      std::max(saves, 1 - run.low / longest_ns) + error};
      if (asked_[i].only_shortens) {
        answer.saves.low = std::max(answer.saves.low, std::min(saves, 0.0));
      }
      const bool is_part = answer.question == Question::kRank ||
                           answer.question == Question::kRanks ||
                           answer.question == Question::kStage;
      if (is_part && has_imbalance) {
        answer.of_imbalance = (replayed_ns - run.value) / cost_ns;
      }
      result_.answers.push_back(std::move(answer));
    }
    std::stable_sort(result_.answers.begin(), result_.answers.end(),
                     [](const Answer& a, const Answer& b) {
                       return a.saves.value > b.saves.value;
                     });
  }

  const ReplayJob& job_;
  const WhatIfOptions& options_;
  WhatIf& result_;
  Pipeline pipeline_;
  PeerGaps gaps_;
  std::vector<float> transfers_;
  std::vector<Asked> asked_;
  std::vector<std::vector<Event>> overlapped_;
};

}  // namespace

WhatIf whatIf(const ReplayJob& job, const WhatIfOptions& options) {
  WhatIf result;
  result.doubts = job.doubts;
  result.refusal = refusalOf(job);
  if (result.refusal) return result;
  result.measured_ns = job.measuredNs();
  result.measured_error_ns = job.measuredErrorNs();
  Asker(job, options, result).ask();
  if (options.only_ranks_above == 0) result.path = criticalPath(job);
  return result;
}

double replayError(const WhatIf& result) {
  if (result.measured_ns <= 0) return 0;
  const double off_ns = result.replayed_ns.value - result.measured_ns;
  return std::abs(off_ns) / result.measured_ns;
}

const Answer* costliest(const WhatIf& result) {
  const Answer* single = nullptr;
  const Answer* together = nullptr;
  for (const Answer& answer : result.answers) {
    if (answer.saves.value < kWorthNaming) continue;
    const bool is_single = answer.question == Question::kRank ||
                           answer.question == Question::kStage;
    if (is_single && !single) single = &answer;
    if (answer.question == Question::kRanks && !together) together = &answer;
  }
  const double saved = single ? single->saves.value : 0;
  return together && together->saves.value > saved + kWorthNaming ? together
                                                                  : single;
}

}  // namespace traced::whatif
