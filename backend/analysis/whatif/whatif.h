// Answers what-if questions: how long a run would have taken if one thing had
// been different.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/whatif/critical_path.h"
#include "analysis/whatif/replay.h"
#include "analysis/whatif/replay_job.h"
#include "analysis/whatif/suspects.h"

namespace traced::whatif {

enum class Question : std::uint8_t {
  // A rank computes as long as the median of its peers.
  kRank,
  // The same for several ranks together: mending one of them may gain nothing.
  kRanks,
  // All ranks compute equally long, and equal transfers take equally long.
  kBalance,
  // A pipeline stage computes as long as the others.
  kStage,
  // Transfers are faster: all, those of an operation, of groups, or between two
  // nodes.
  kNetwork,
  kNetworkOfOperation,
  kNetworkOfGroups,
  kNetworkOfNodes,
  // Ranks wait for collectives only at the end of a step.
  kOverlap,
};

// A figure with its bounds.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
};

struct Answer {
  Question question = Question::kBalance;
  // The rank or the stage.
  std::uint32_t number = 0;
  // The ranks of a stage, or those that change together.
  std::vector<std::uint32_t> ranks;
  // The operation, groups or nodes of faster transfers.
  v1::Operation op = v1::OPERATION_UNSPECIFIED;
  std::string name;
  std::string other_name;
  // How long the run would take, in ns.
  Estimate run_ns;
  // Which part of the recorded time it would save. Negative if it would take
  // longer.
  Estimate saves;
  // Which part of the cost of imbalance this saves. Absent without imbalance.
  std::optional<double> of_imbalance;
  // The long steps of each of `ranks`. Empty for a stage.
  std::vector<LongSteps> long_steps;
};

// Why a run cannot be replayed.
enum class Refusal : std::uint8_t {
  kNoOperations,
  kOneRank,
  // The times of operations on a device were not recorded.
  kUntimed,
  // The clocks of several hosts are not aligned.
  kClocks,
};

struct WhatIf {
  // The other fields are empty if set, except `doubts`.
  std::optional<Refusal> refusal;
  Doubts doubts;
  double measured_ns = 0;
  // The maximum error of `measured_ns`, as clocks differ.
  double measured_error_ns = 0;
  // The replay of the unchanged run.
  Estimate replayed_ns;
  // How many times the replay had to break a circle of waits.
  std::uint64_t forced = 0;
  // The recorded time divided by that without imbalance.
  std::optional<Estimate> slowdown;
  // The run without imbalance. 0 if only ranks are asked about.
  Estimate ideal_ns;
  // Its times, if requested.
  ReplayedTimes ideal_times;
  // Most saved time first.
  std::vector<Answer> answers;
  // Ranks that no other rank can be compared with.
  std::vector<std::uint32_t> without_peers;
  // Ranks with peers, and how many of them were replayed.
  std::size_t comparable_ranks = 0;
  std::size_t replayed_ranks = 0;
  std::uint32_t stages = 0;
  CriticalPath path;
};

struct WhatIfOptions {
  // How many times faster the network becomes.
  double network = 2;
  // Maximum number of ranks, stages, and of each kind of faster transfers, that
  // are replayed.
  std::size_t max_rows = 8;
  std::size_t threads = 1;
  bool with_ideal_times = false;
  // Whether to say when ranks computed in long steps.
  bool with_computing = false;
  // Only asks about ranks whose extra computing is this part of the run. 0 for
  // all questions.
  double only_ranks_above = 0;
  // What these sets of ranks would save together. An answer follows for each
  // set whose ranks all have peers.
  std::vector<std::vector<std::uint32_t>> sets;
};

WhatIf whatIf(const ReplayJob& job, const WhatIfOptions& options);

// Returns the replay's error: the difference to the recorded time, as a part of
// it.
double replayError(const WhatIf& result);

// What saves less than this part of the run is not worth naming.
inline constexpr double kWorthNaming = 0.01;

// Returns the rank, ranks or stage that would save most. Several ranks together
// only if they save clearly more than each of them. Null if none is worth
// naming.
const Answer* costliest(const WhatIf& result);

}  // namespace traced::whatif
