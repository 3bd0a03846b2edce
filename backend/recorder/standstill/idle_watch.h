// IdleWatch decides when a process that communicates nothing is sampled: when
// no operation was issued and no wait ended for long, and then less and less
// often. Owned by the writer thread.

#pragma once

#include <cstdint>

#include "ring_io/ring/ring.h"

namespace traced {

class IdleWatch {
 public:
  // The first sample is due after `after_ns`, or after ten times the usual gap
  // between operations if that is longer, but at most after six times
  // `after_ns`. 0: never. Counts from `now_ns`.
  IdleWatch(std::int64_t after_ns, std::int64_t now_ns)
      : after_ns_(after_ns), last_ns_(now_ns), next_ns_(after_ns) {}

  void update(const Ring::Record& record);
  // Notes that the process communicated at `at_ns`.
  void note(std::int64_t at_ns);

  // Returns whether a sample is due at `now_ns`. Call it once per poll.
  bool isDue(std::int64_t now_ns);

  // Returns the mean of the last minutes' gaps, weighted by their lengths. The
  // time before the first operation is no gap.
  std::int64_t usualGapNs() const;

 private:
  template <typename Row>
  void note(const Row& row);
  // Returns the idle time after which the sample after `idle_ns` is due.
  std::int64_t sampleAfter(std::int64_t idle_ns) const;

  const std::int64_t after_ns_;
  // When an operation was last issued or a wait last ended.
  std::int64_t last_ns_;
  // Idle time at which the next sample is due.
  std::int64_t next_ns_;
  bool has_begun_ = false;
  // Sums of the gaps, and of their squares, in seconds. Older gaps count less.
  double gaps_ = 0;
  double squares_ = 0;
};

}  // namespace traced
