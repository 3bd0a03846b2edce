// By how much the ranks of a group came late to its collectives, by their own
// doing, and kept others waiting.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "analysis/diagnosis/job_state/job_state.h"

namespace traced {

// One collective, and who was latest.
struct LateCollective {
  std::uint64_t seq = 0;
  std::uint32_t rank = 0;
  std::int64_t lateness_ns = 0;
  // What of it is certain, whatever the clocks of other hosts say.
  std::int64_t proven_ns = 0;
  // When the last one was ready.
  std::int64_t at_ns = 0;
  // The wait was seen of whom they are compared with, here and where the rank
  // was late before and nobody had waited for it.
  bool wait_is_seen = true;
  // It is one of those that are timed whatever they show.
  bool sampled = true;
  // By rank: those of all its members, and their lateness.
  absl::Span<const Timing> ready_times;
  absl::Span<const std::int64_t> lateness;

  // By how much a rank was ready after the median rank, at least, and others
  // waited for it: as far as it did more by itself than that one since both
  // came back from a collective of the group, and less what it was late
  // already, as long as nobody had waited for it, or nobody had gone on since.
  std::int64_t latenessOf(std::uint32_t who) const;
};

// Whether somebody was late to one as never else.
using StandsOut = std::function<bool(const LateCollective&)>;

// The collectives of a group that all members with a trace joined, but for the
// first one, which waits for processes that start. Ranks that read one clock
// are compared exactly, others by what is certified of their clocks: who is
// late is so behind the median rank of all, or of those of its clock, unless
// somebody else was certainly later, or one without a trace may have been.
class GroupLateness {
 public:
  GroupLateness(const JobState& job, std::uint32_t group);
  GroupLateness(const GroupLateness&) = delete;
  GroupLateness& operator=(const GroupLateness&) = delete;

  const std::vector<LateCollective>& collectives() const {
    return collectives_;
  }
  // Otherwise lateness is more or less certain.
  bool onOneClock() const { return one_clock_; }

 private:
  bool one_clock_ = true;
  Timings ready_times_;
  std::vector<std::int64_t> lateness_;
  std::vector<LateCollective> collectives_;
};

}  // namespace traced
