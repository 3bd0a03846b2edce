// ResourceSampler periodically asks the kernel and the hooks of the program
// what the process used since the previous sample.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "recorder/resources/blocked_time.h"
#include "recorder/resources/thread_delays.h"
#include "recorder/resources/throttling.h"
#include "trace_io/row.h"

namespace traced {

// Not thread safe.
class ResourceSampler {
 public:
  // `interval_ns` is the minimum distance between samples. Samples that take
  // long are rarer, so that they take at most kMaxShare of a processor. The
  // first sample counts from `now_ns`.
  ResourceSampler(std::int64_t interval_ns, std::int64_t now_ns);

  // Looks at the main thread. Call it often.
  void observe(std::int64_t now_ns);
  // Returns whether a sample is due. The last one may be early, but not sooner
  // than a tenth of the interval.
  bool isDue(std::int64_t now_ns, bool last) const;
  // Returns a sample. `issuers` are the kernel ids of the threads that issued
  // operations.
  ResourceRow sample(std::int64_t now_ns,
                     const std::vector<std::int64_t>& issuers);

  static constexpr double kMaxShare = 0.0005;

 private:
  using Amount = std::optional<std::uint64_t>;

  // Totals since the start of the process. Absent if they are not known.
  struct Totals {
    Amount cpu_ns;
    Amount voluntary_switches;
    Amount involuntary_switches;
    Amount major_faults;
    Amount main_cpu_ns;
    Amount run_delay_ns;
    Amount read_bytes;
    Amount written_bytes;
    Amount cpu_pressure_ns;
    Amount io_pressure_ns;
    Amount memory_pressure_ns;
    Amount collections;
    Amount collecting_ns;
    Amount batches;
    Amount loading_ns;
  };
  // A column of a sample that holds the difference of two totals.
  struct Difference;
  static const Difference kDifferences[];
  Totals totals(std::int64_t now_ns) const;
  // Adds the differences of totals, and updates `before_`.
  void addDifferences(const Totals& now, ResourceRow& row);
  // Adds how long the main thread slept uninterruptibly, if it was observed and
  // no other thread does its work.
  void addBlockedTime(const std::vector<std::int64_t>& issuers,
                      ResourceRow& row);

  const std::int64_t interval_ns_;
  std::int64_t sampled_ns_;
  std::int64_t due_ns_;
  BlockedTime blocked_;
  Throttling throttling_;
  ThreadDelays delays_;
  Totals before_;
};

}  // namespace traced
