// HeldTime says how much of a process's time each operation held up: its call
// and its wait.
//
// Several threads may be in calls and waits at once. Such an instant counts
// once: it is divided between them, so no sum exceeds the time that there is.
// What lies outside of the stream's operation span does not count.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/job/time_windows.h"
#include "analysis/stream/stream_table.h"

namespace traced {

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

}  // namespace traced
