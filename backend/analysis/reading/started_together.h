// Which of what launchers started, each by itself, is one start of a job.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/container/flat_hash_set.h"

namespace traced {

// A rank's stream, what a launcher started at one time, or a start of the job.
// Times are of wall clocks.
struct Started {
  static constexpr std::int64_t kNotKnown =
      std::numeric_limits<std::int64_t>::max();

  // The highest and the lowest that its ranks tell.
  std::uint32_t attempt = 0;
  std::uint32_t least_attempt = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t world_size = 0;
  absl::flat_hash_set<std::uint32_t> ranks = {};
  // Of those that startsOf() is given, by their indices.
  absl::flat_hash_set<std::uint32_t> launchers = {};
  // Into TraceSet::streams.
  std::vector<std::size_t> streams = {};
  // When the first of it began, and when the first was gone.
  std::int64_t begin_ns = kNotKnown;
  std::int64_t end_ns = kNotKnown;

  void add(const Started& other);
  // Whether the other is not of this start: it came `margin_ns` after an end.
  bool isOverBefore(const Started& other, std::int64_t margin_ns) const;
};

// What one launcher started, in its order, of what its ranks are: one of each
// rank, of one attempt.
std::vector<Started> launchesOf(std::vector<Started> ranks);

struct Starts {
  // In their order.
  std::vector<Started> each;
  // Only wall clocks of hosts tell what is one start: launchers started
  // unequally often, as far as is known, or what they started in turn cannot be
  // one; and they do not count alike.
  bool by_clock = false;
};

// Each launcher has started something.
Starts startsOf(const std::vector<std::vector<Started>>& launchers);

}  // namespace traced
