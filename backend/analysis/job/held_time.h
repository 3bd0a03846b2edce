// How much of a process's time operations blocked, by recorded calls and waits
// and by waits without a record.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/job/time_windows.h"
#include "analysis/stream/batches.h"
#include "analysis/stream/stream_table.h"

namespace traced {

// HeldTime computes how much of a process's time each operation blocked, in its
// call and in its wait. On a device, the stall of the stream replaces the wait.
//
// Several threads may be in calls and waits at once. Such an instant counts
// once: it is divided between the threads, so no sum exceeds the elapsed time.
// Time outside the stream's operation span does not count.
//
// Memory: up to 32 bytes per operation during construction. Afterwards as much
// again if threads overlap, otherwise none.
class HeldTime {
 public:
  explicit HeldTime(const StreamTable& table);

  // Returns for how many ns an operation blocked the process within the
  // operation span.
  std::uint64_t of(const AssembledOperation& op) const;

 private:
  std::uint64_t shareOf(Instant begin, Instant end) const;
  // Returns the cumulative divided time until an instant.
  double dividedUntil(std::int64_t ns) const;

  TimeWindow span_;
  // Instants at which the number of threads in calls and waits changes. Empty
  // if it never exceeds 1.
  struct Change {
    std::int64_t ns = 0;
    std::uint32_t threads = 0;
    double divided_ns = 0;
  };
  std::vector<Change> changes_;
};

// Returns whether the program may have waited for the operation without a
// record of how long. The operation was pending when its call returned, and no
// wait is recorded, or on a device no stall. False for members of a batch and
// captured operations, for which no program waits.
bool hasUnseenWait(const AssembledOperation& op, const StreamTable& table,
                   const Batches& batches);

// Like hasUnseenWait, for an operation that is not a member of a batch.
bool mayHaveUnseenWait(const AssembledOperation& op, const StreamTable& table);

// Return the earliest begin and, if known, the latest end of such a wait.
Instant unseenWaitBegin(const AssembledOperation& op, const StreamTable& table);
Instant unseenWaitEnd(const AssembledOperation& op, const StreamTable& table);

// UnseenWaits computes an upper bound of a process's waits without a record.
// DDP, for example, waits for futures inside torch.
//
// A program cannot wait for an operation before its call returned or after it
// ended. A thread in a recorded call or wait is in no other wait. The remaining
// time is the bound, if no record was lost. Time in which several threads may
// have waited counts once.
class UnseenWaits {
 public:
  // `table`: the stream of the process.
  explicit UnseenWaits(const StreamTable& table);

  // Returns when the process may have waited for an operation without a record.
  // Ends at the latest at the end of the trace.
  using Window = TimeWindow;
  static Window windowOf(const AssembledOperation& op,
                         const StreamTable& table);

  // Returns how much of the windows is outside recorded calls and waits, in ns.
  // Sorts and merges `windows`.
  std::uint64_t atMostNs(std::vector<Window>& windows) const;

 private:
  void addSeen(Instant begin, Instant end);

  // Recorded calls and waits of the process, sorted and disjoint.
  std::vector<Window> seen_;
};

}  // namespace traced
