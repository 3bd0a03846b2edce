// Facts about ranks that are late and transfers that are slow.

#pragma once

#include "analysis/diagnosis/verdicts/facts/shared.h"

namespace traced {

struct KeepsWaiting {
  Ranks ranks;
  std::uint32_t group = 0;
  bool waits_seen = false;
};
// Several ranks are late. The figures are those of one of them.
struct LateAlike {
  std::uint32_t figures_of = 0;
};
struct LateTo {
  std::int64_t median_ns = 0;
  std::size_t times = 0;
  std::size_t of = 0;
  std::uint64_t first_seq = 0;
  std::uint64_t last_seq = 0;
};
// Share of the time between operations.
struct ShareOfTime {
  double share = 0;
  bool waits_seen = true;
};
// Found by a replay of the run (analysis/whatif).
struct ComputedLonger {
  Ranks ranks;
  // Mostly one of them at a time.
  bool in_turn = false;
};
// The steps in which a rank computed longer than its peers. Without marked
// steps, parts of the run.
struct LongerInSteps {
  std::uint32_t rank = 0;
  std::int64_t median_ns = 0;
  std::vector<std::uint64_t> steps;
  std::size_t of = 0;
  bool are_marked = false;
};
// Which part of the run would be saved if the ranks computed like their peers:
// estimate and bounds.
struct WouldSave {
  Ranks ranks;
  double part = 0;
  double low = 0;
  double high = 0;
};
struct JoinedLate {
  std::uint32_t rank = 0;
  std::int64_t late_ns = 0;
  CollectiveAt call;
};
struct JoinedLateOften {
  Ranks ranks;
  std::uint32_t group = 0;
  std::size_t times = 0;
  bool in_turn = false;
  std::int64_t all_ns = 0;
  std::int64_t span_ns = 0;
};
struct OwnLateness {
  std::uint32_t rank = 0;
  std::size_t times = 0;
  std::int64_t all_ns = 0;
  // The first of them, each as number and lateness in ns.
  std::vector<std::pair<std::uint64_t, std::int64_t>> first;
};

// What may have made a rank late. Measured by samples of its process.
enum class LateCause : std::uint8_t {
  // Python collected garbage.
  kCollecting,
  // The program was in a DataLoader.
  kLoading,
  // The limit of its cgroup's processor time.
  kThrottled,
  // Its threads were runnable without a processor.
  kProcessor,
  // Page faults that read from a disk.
  kPaging,
  // Uninterruptible sleep in system calls, with and without bytes read or
  // written.
  kStorage,
  kKernel,
  // What low clocks of its GPU cost.
  kGpuClocks,
};
struct ExplainedBy {
  Ranks ranks;
  LateCause cause = LateCause::kCollecting;
  // By how much these ranks were late in all, for how long they had the cause
  // meanwhile, and the longest time of a rank that was on time.
  std::int64_t late_ns = 0;
  std::int64_t ns = 0;
  std::int64_t of_others_ns = 0;
};
// Samples cover the lateness, and no cause explains it.
struct NothingExplains {
  Ranks ranks;
  // The causes that were measured and are too short, for all of `ranks`.
  std::vector<LateCause> ruled_out;
};

struct TransfersAreSlow {
  Ranks ranks;
};
struct SlowTransfers {
  enum class Link : std::uint8_t { kPairs, kRanks, kGroups };

  // "64 KiB" for pairs, otherwise for example "all_reduce (4 KiB float32,
  // sum)".
  std::string what;
  Link link = Link::kPairs;
  Ranks ranks;
  std::int64_t median_ns = 0;
  std::size_t count = 0;
  std::int64_t others_ns = 0;
  // Set for pairs only.
  bool between_hosts = false;
};

struct AskBeforeCalls {
  Ranks ranks;
};
struct AskBeforeCall {
  std::uint32_t rank = 0;
};
struct AskNetwork {
  Ranks ranks;
};

using TimeFact =
    std::variant<KeepsWaiting, LateAlike, LateTo, ShareOfTime, ComputedLonger,
                 LongerInSteps, WouldSave, JoinedLate, JoinedLateOften,
                 OwnLateness, ExplainedBy, NothingExplains, TransfersAreSlow,
                 SlowTransfers, AskBeforeCalls, AskBeforeCall, AskNetwork>;

}  // namespace traced
