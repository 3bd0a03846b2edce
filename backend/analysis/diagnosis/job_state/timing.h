// Timing is when one rank took part in an operation. Rules compare the timings
// of ranks.

#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace traced {

// How long a program ran by itself, without its waits. `most_ns` excludes
// recorded waits only. `least_ns` also excludes what may have been waits for a
// future.
struct OwnTime {
  static constexpr std::int64_t kNotSeen =
      std::numeric_limits<std::int64_t>::min();
  std::int64_t most_ns = kNotSeen;
  std::int64_t least_ns = kNotSeen;

  bool known() const { return most_ns != kNotSeen; }
};

struct Timing {
  static constexpr std::int64_t kUnknown = -1;
  // The uncertainty of a clock without certified bounds.
  static constexpr std::int64_t kUncertain = std::int64_t{1} << 60;

  // Marks an unknown end.
  static constexpr std::int64_t kNoEnd =
      std::numeric_limits<std::int64_t>::max();

  std::uint64_t seq = 0;
  // On the rank's own clock: the call, and an upper bound of the collective's
  // end. Set for collectives only.
  std::int64_t called_ns = 0;
  std::int64_t ended_ns = kNoEnd;
  // When the rank was ready: at the call, at the end of the group's previous
  // operation, or at an observed start of its engine. It may have been ready up
  // to `early_ns` earlier, because ends are bounds. `uncertain_ns` is the error
  // of the common time line, set once the instant is on it. See common_time.cc.
  std::int64_t ready_ns = 0;
  std::int64_t early_ns = 0;
  std::int64_t uncertain_ns = kUncertain;
  // The group's previous collective had not ended when this one was called.
  bool called_ahead = false;
  // The rank's own time since it called the group's previous collective. And
  // since its last release from one of the group, if that was later.
  OwnTime since_call;
  OwnTime since_release;
  // The wait until that release is recorded.
  bool release_is_seen = false;
  // Time from ready to end. kUnknown if either is not known exactly.
  std::int64_t took_ns = kUnknown;
  // This collective, or the one that released the program, has no recorded
  // wait. It is unknown whether the program waited until the end.
  bool unseen_wait = false;
  // How long after being ready the end could not have been observed.
  std::int64_t unseen_ns = 0;
  std::uint32_t rank = 0;
};

// Returns whether collectives with this number are timed, which is the same on
// all ranks. About one of `stride` is. Samples are short runs of consecutive
// numbers, chosen pseudo-randomly so that no loop of a program is in step with
// them.
bool isSampled(std::uint64_t seq, std::uint64_t stride);

// The timings of an operation set, grouped by rank.
using Timings = std::vector<Timing>;

// Returns the timings sorted by `seq`. Stable: keeps the order within one
// collective.
Timings bySeq(const Timings& timings);

}  // namespace traced
