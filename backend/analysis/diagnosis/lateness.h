// By how much the ranks of a group came late to its collectives, by their own
// doing.

#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "analysis/diagnosis/job_state.h"

namespace traced {

// One collective, and who was latest.
struct LateCollective {
  std::uint64_t seq = 0;
  std::uint32_t rank = 0;
  std::int64_t lateness_ns = 0;
  // When the last one was ready.
  std::int64_t at_ns = 0;
  // Those of all its members, by when they were ready.
  absl::Span<const Timing> arrivals;

  // By how much a rank was ready after the median rank, but for the time for
  // which it was held up, more than that one, by messages and other groups, and
  // by which it was released later from the group's collective before.
  std::int64_t latenessOf(std::uint32_t who) const;
};

// The collectives of a group that all members with a trace joined, but for the
// first one, which waits for processes that start. None where hosts differ in
// their clocks: what cannot be certified is withheld.
class GroupLateness {
 public:
  GroupLateness(const JobState& job, std::uint32_t group);
  GroupLateness(const GroupLateness&) = delete;
  GroupLateness& operator=(const GroupLateness&) = delete;

  const std::vector<LateCollective>& collectives() const {
    return collectives_;
  }

 private:
  Timings arrivals_;
  std::vector<LateCollective> collectives_;
};

// Of at least one; of an even number the larger of the two in the middle.
std::int64_t medianNs(std::vector<std::int64_t> values);

}  // namespace traced
