// Timing is when one rank took its part in an operation: the rules compare
// those of the ranks.

#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace traced {

// For how long a program went on, less all its waits. Of what is no recorded
// wait, some may have been one: for a future.
struct OwnTime {
  static constexpr std::int64_t kNotSeen =
      std::numeric_limits<std::int64_t>::min();
  std::int64_t most_ns = kNotSeen;
  std::int64_t least_ns = kNotSeen;

  bool known() const { return most_ns != kNotSeen; }
};

struct Timing {
  static constexpr std::int64_t kUnknown = -1;
  // Of a clock of which nothing is certified.
  static constexpr std::int64_t kUncertain = std::int64_t{1} << 60;

  // Marks an unknown end.
  static constexpr std::int64_t kNoEnd =
      std::numeric_limits<std::int64_t>::max();

  std::uint64_t seq = 0;
  // On the own clock of the rank: the call, and the instant by which the
  // collective had ended. Set for collectives only.
  std::int64_t called_ns = 0;
  std::int64_t ended_ns = kNoEnd;
  // When the rank was ready: at the call, or when the operation before it in
  // the group had ended, or, where that was observed, when its engine began. By
  // how much earlier it may have been, as ends are bounds; and how far off the
  // common time line is, once the instant is on it: see common_time.cc.
  std::int64_t ready_ns = 0;
  std::int64_t early_ns = 0;
  std::int64_t uncertain_ns = kUncertain;
  // The collective before in the group had not ended when it called this one.
  bool called_ahead = false;
  // What the rank did by itself since it called the group's collective before;
  // and since it was last released from one of the group, if that was later.
  OwnTime since_call;
  OwnTime since_release;
  // The program was seen to wait until it was released.
  bool release_is_seen = false;
  // From being ready to the end; kUnknown where either is not known exactly.
  std::int64_t took_ns = kUnknown;
  // No wait was seen, of this one or of the one that released it: whether the
  // program waited until the end is not known.
  bool unseen_wait = false;
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
