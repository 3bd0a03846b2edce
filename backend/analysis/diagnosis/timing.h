// Timing is when one rank took its part in an operation: the rules compare
// those of the ranks.

#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace traced {

struct Timing {
  static constexpr std::int64_t kUnknown = -1;
  static constexpr std::int64_t kNotSeen =
      std::numeric_limits<std::int64_t>::min();
  // Of a clock of which nothing is certified.
  static constexpr std::int64_t kUncertain = std::int64_t{1} << 60;

  std::uint64_t seq = 0;
  // When the rank was ready: at the call, or when the operation before it in
  // the group had ended, or, where that was observed, when its engine began. On
  // the common time line; by how much earlier it may have been, as ends are
  // bounds; and how far off the time line is.
  std::int64_t ready_ns = 0;
  std::int64_t early_ns = 0;
  std::int64_t uncertain_ns = kUncertain;
  // For how long the rank had waited in messages and in other groups since the
  // group's collective before: who is held up there is not late by itself.
  std::int64_t held_up_ns = 0;
  // When its program came back from its last wait for a collective of the
  // group, before it called this one: later than others if that ended later for
  // it.
  std::int64_t released_ns = kNotSeen;
  // From being ready to the end; kUnknown where either is not known exactly.
  std::int64_t took_ns = kUnknown;
  // For how long after being ready nobody would have seen the end.
  std::int64_t unseen_ns = 0;
  std::uint32_t rank = 0;
};

// Whether the collective of a number is timed on all ranks, where all cannot
// be: about one of `stride`. Some of them follow each other, and no loop of a
// program is in step with them.
bool isSampled(std::uint64_t seq, std::uint64_t stride);

// Of some operations, those of each rank, by rank.
using Timings = std::vector<Timing>;

// The same by collective; of one, in the order in which they were.
Timings bySeq(const Timings& timings);

}  // namespace traced
