// Finds which launches of several launchers form one start of a job.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/container/flat_hash_set.h"

namespace traced {

// A rank's stream, the launch of one launcher, or a start of the job. Times are
// by wall clocks.
struct Started {
  static constexpr std::int64_t kNotKnown =
      std::numeric_limits<std::int64_t>::max();

  // Highest and lowest attempt that its ranks report.
  std::uint32_t attempt = 0;
  std::uint32_t least_attempt = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t world_size = 0;
  absl::flat_hash_set<std::uint32_t> ranks = {};
  // Indices into the argument of startsOf().
  absl::flat_hash_set<std::uint32_t> launchers = {};
  // Indices into TraceSet::streams.
  std::vector<std::size_t> streams = {};
  // When its first rank began, and when the first rank ended.
  std::int64_t begin_ns = kNotKnown;
  std::int64_t end_ns = kNotKnown;

  void add(const Started& other);
  // Returns whether `other` is not part of this start: it began more than
  // `margin_ns` after a rank had ended.
  bool isOverBefore(const Started& other, std::int64_t margin_ns) const;
};

// Groups the ranks of one launcher into launches, in order. A launch has each
// rank at most once, and one attempt.
std::vector<Started> launchesOf(std::vector<Started> ranks);

struct Starts {
  // In order of time.
  std::vector<Started> each;
  // Only wall clocks show which launches form one start: the launchers have
  // different numbers of launches or cannot be paired in order, and their
  // attempt counts disagree.
  bool by_clock = false;
};

// Combines launches into starts. Each launcher must have at least one launch.
Starts startsOf(const std::vector<std::vector<Started>>& launchers);

}  // namespace traced
