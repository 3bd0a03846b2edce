// Measures how late the ranks of a group joined its collectives through their
// own doing, while others waited.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/verdicts/verdict.h"

namespace traced {

// One collective and its latest rank.
struct LateCollective {
  std::uint64_t seq = 0;
  std::uint32_t rank = 0;
  std::int64_t lateness_ns = 0;
  // The part of `lateness_ns` that is certain despite the errors of other
  // hosts' clocks.
  std::int64_t proven_ns = 0;
  // When the last rank was ready, on the common time line.
  std::int64_t at_ns = 0;
  // The waits of the ranks it was compared with are recorded. Includes earlier
  // collectives whose lateness carried over.
  bool wait_is_seen = true;
  // Chosen by sampling. False if kept because it took long.
  bool sampled = true;
  // All members sorted by rank, and their lateness.
  absl::Span<const Timing> ready_times;
  absl::Span<const std::int64_t> lateness;

  // Returns a lower bound of how much later than the median rank this rank was
  // ready while others waited, in ns. Counts only extra time of its own since
  // both were released from a collective of the group. Excludes lateness that
  // was counted before. Returns 0 for a rank that is not a member.
  std::int64_t latenessOf(std::uint32_t who) const;
  // Returns nullptr for a rank that is not a member.
  const Timing* timingOf(std::uint32_t who) const;
};

// Adds that a member was late to a collective, by `late_ns`: since the group's
// previous one, which is `before` or nullptr.
void addLateness(std::int64_t late_ns, const LateCollective* before,
                 const LateCollective& collective, LateTimes& late);

// Returns whether a lateness is long and unusual for its group.
using StandsOut = std::function<bool(const LateCollective&)>;

// GroupLateness covers the collectives that all members with a trace joined. It
// skips the first, which waits for processes to start. Ranks on one clock are
// compared exactly, others by the certified bounds of their clocks. A rank is
// late behind the median rank of all, or of its own clock. The latter does not
// apply if another rank was certainly later, or one without a trace may have
// been.
class GroupLateness {
 public:
  // `group`: index in the catalog. No collectives result if fewer than two
  // members have records.
  GroupLateness(const JobState& job, std::uint32_t group);
  GroupLateness(const GroupLateness&) = delete;
  GroupLateness& operator=(const GroupLateness&) = delete;

  const std::vector<LateCollective>& collectives() const {
    return collectives_;
  }
  // Returns whether all members share a clock. Otherwise lateness has an error.
  bool onOneClock() const { return one_clock_; }

 private:
  bool one_clock_ = true;
  Timings ready_times_;
  std::vector<std::int64_t> lateness_;
  std::vector<LateCollective> collectives_;
};

}  // namespace traced
