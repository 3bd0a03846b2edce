// RankTime divides the time of one rank into a TimeBreakdown.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "analysis/job/ready_times.h"
#include "analysis/job/step_windows.h"
#include "analysis/job/time_windows.h"
#include "analysis/stream/stream_table.h"
#include "analysis/time_split/time_breakdown.h"
#include "analysis/time_split/time_split.h"

namespace traced {

class ReadyRows;

// Not thread safe. Memory: up to 100 bytes per operation.
class RankTime {
 public:
  // `ready`: one per operation. With nullptr no time counts as hidden, and
  // blocked time is undecided. Both must live until finish() returns.
  RankTime(const StreamTable& table, const std::vector<ReadyTime>* ready);

  // Adds an operation. `unseen`: see hasUnseenWait().
  void add(std::size_t operation, const OperationSplit& split, bool unseen);
  // Call once, after all operations.
  void finish();
  // Divides windows of the rank's own clock, which must be sorted and disjoint.
  // Call after finish().
  std::vector<TimeBreakdown> over(absl::Span<const TimeWindow> windows) const;
  std::vector<TimeBreakdown> over(const std::vector<StepWindow>& steps) const;
  // Estimates for how long the program waited without a record, in ns: it may
  // have waited from the return of the last such operation of each step to the
  // end of all of them, as DDP does. Absent without steps, or if the end of an
  // operation is unknown or was reported by a device's engine.
  std::optional<std::uint64_t> estimatedWaitNs(
      const std::vector<StepWindow>& steps) const;

 private:
  enum State {
    kWaitForPeers,
    kTransfer,
    kUndecided,
    kCall,
    kMayWait,
    kHidden,
    kStates
  };
  // An instant, and what it adds to the window around it.
  using Amount = std::pair<std::int64_t, std::uint64_t>;
  // A state, kStates if none, and until when it surely lasts.
  struct Stay {
    std::size_t state;
    std::int64_t until_ns;
  };

  bool isStuckIn(const AssembledOperation& op) const;
  void addBlocked(std::size_t operation, const OperationSplit& split);
  // If the stream ends in an operation that blocks the program, marks the time
  // since the last issue, return or wait as undecided.
  void addUnderWay();
  // Marks time that the trace may lack records of as kMayWait: until the last
  // loss, and while tracing was switched off.
  void addUnrecorded();

  // Returns the state at an instant. `next`: for each state, the first window
  // that ends later; moved forward.
  Stay stateAt(std::int64_t ns, std::array<std::size_t, kStates>& next) const;

  const StreamTable& table_;
  const std::vector<ReadyTime>* const ready_;
  std::array<CoveredTime, kStates> added_;
  // Sorted, after finish().
  std::array<std::vector<TimeWindow>, kStates> windows_;
  std::vector<Amount> uncertain_;
  // Operations with an unseen wait: when they were issued, and the wait.
  struct Unseen {
    std::int64_t issued_ns = 0;
    TimeWindow window;
  };
  std::vector<Unseen> unseen_;
  bool can_estimate_ = true;
  // Whether an operation blocks the program at the end of the stream, and the
  // last instant at which it was not blocked.
  bool is_stuck_ = false;
  Instant latest_;
};

// Returns the time of each step that a rank marked, in order. Absent for a step
// without a known end, and for one that overlaps an earlier one. `time` must be
// finished.
std::vector<std::optional<TimeBreakdown>> timesOfSteps(const StreamTable& table,
                                                       const RankTime& time);

// Returns the finished time of a rank with all its operations.
RankTime rankTimeOf(const ReadyRows& ready_times);

}  // namespace traced
