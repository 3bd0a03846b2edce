// How much of a process's time operations held up: calls and waits that were
// seen, and waits that nobody saw.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/job/time_windows.h"
#include "analysis/stream/batches.h"
#include "analysis/stream/stream_table.h"

namespace traced {

// HeldTime says how much of a process's time each operation held up: its call
// and its wait.
//
// Several threads may be in calls and waits at once. Such an instant counts
// once: it is divided between them, so no sum exceeds the time that there is.
// What lies outside of the stream's operation span does not count.
//
// Memory: up to 32 bytes per operation while it is made; as much again to keep
// where threads overlap, else none.
class HeldTime {
 public:
  explicit HeldTime(const StreamTable& table);

  struct Of {
    std::uint64_t call_ns = 0;
    std::uint64_t wait_ns = 0;
  };
  Of of(const AssembledOperation& op) const;

 private:
  std::uint64_t shareOf(Instant begin, Instant end) const;
  // How much time until an instant was divided, in all.
  double dividedUntil(std::int64_t ns) const;

  TimeWindow span_;
  // Where the number of threads in calls and waits changes; empty where it
  // never exceeds 1.
  struct Change {
    std::int64_t ns = 0;
    std::uint32_t threads = 0;
    double divided_ns = 0;
  };
  std::vector<Change> changes_;
};

// Whether the program may have waited for the operation in a way that shows no
// wait: it was under way when its call returned, and no wait was seen. Nobody
// waits for a member of a batch, nor for what was captured.
bool hasUnseenWait(const AssembledOperation& op, const StreamTable& table,
                   const Batches& batches);

// The same of an operation that is no member of a batch.
bool mayHaveUnseenWait(const AssembledOperation& op, const v1::Call& call);

// Returns when such a wait ended at the latest, if that is known.
Instant unseenWaitEnd(const AssembledOperation& op, const StreamTable& table);

// UnseenWaits bounds how long a process stood in waits that nobody saw, such as
// those of DDP, which waits for futures in torch's own code.
//
// Nobody waits for an operation before its call returned, or after it ended,
// and a thread that is seen in a call or a wait is in no other wait. What is
// left is the bound, where no record was lost. Time in which several threads
// may have waited counts once.
class UnseenWaits {
 public:
  // Of the process whose stream that is.
  explicit UnseenWaits(const StreamTable& table);

  // When the process may have waited for an operation whose wait was not seen:
  // from the return of its call to its end, as far as they are known.
  using Window = TimeWindow;
  static Window windowOf(const AssembledOperation& op,
                         const StreamTable& table);

  // How much of all windows together is not seen. Reorders them.
  std::uint64_t atMostNs(std::vector<Window>& windows) const;

 private:
  void addSeen(Instant begin, Instant end);

  // When the process was seen in a call or a wait: sorted, and apart from each
  // other.
  std::vector<Window> seen_;
};

}  // namespace traced
