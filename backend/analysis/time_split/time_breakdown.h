// TimeBreakdown divides an interval of a rank by what the rank did. Each
// instant counts once, so the parts add up to the interval.

#pragma once

#include <cstdint>

namespace traced {

// Sums in ns, of one interval or of several. If several states hold at an
// instant, the first of these fields counts it.
struct TimeBreakdown {
  // The program, or its stream on a device, was blocked by an operation: until
  // the last rank was ready, from then to the end, or it is unknown which.
  std::uint64_t exposed_wait_for_peers_ns = 0;
  std::uint64_t exposed_transfer_ns = 0;
  std::uint64_t undecided_ns = 0;
  // Inside a call, which had no wait at that time.
  std::uint64_t calls_ns = 0;
  // Either blocked without a record, or computing. Includes gaps in which
  // records may be missing.
  std::uint64_t may_wait_ns = 0;
  // An operation was in flight, and none blocked.
  std::uint64_t hidden_ns = 0;
  // The rest: computing, or anything else outside communication.
  std::uint64_t computing_ns = 0;

  // Error in the division between the first two.
  std::uint64_t uncertain_ns = 0;
  // Number of operations issued in it that the program may have waited for
  // without a record.
  std::uint64_t waits_unknown = 0;

  void add(const TimeBreakdown& other);
  // Returns whether the exposed wait exceeds its error. If not, nothing shows
  // whether it was a wait or a transfer.
  bool isDivided() const { return uncertain_ns <= exposed_wait_for_peers_ns; }
  std::uint64_t totalNs() const {
    return blockedNs() + may_wait_ns + hidden_ns + computing_ns;
  }
  // Returns for how long communication certainly blocked the rank. With
  // `may_wait_ns` it is an upper bound.
  std::uint64_t blockedNs() const {
    return exposed_wait_for_peers_ns + exposed_transfer_ns + undecided_ns +
           calls_ns;
  }
};

// All fields, by the names that JSON, tables and timelines use.
struct TimeField {
  const char* name;
  std::uint64_t TimeBreakdown::*value;
};
inline constexpr TimeField kTimeFields[] = {
    {"exposed_wait_for_peers_ns", &TimeBreakdown::exposed_wait_for_peers_ns},
    {"exposed_transfer_ns", &TimeBreakdown::exposed_transfer_ns},
    {"undecided_ns", &TimeBreakdown::undecided_ns},
    {"calls_ns", &TimeBreakdown::calls_ns},
    {"may_wait_ns", &TimeBreakdown::may_wait_ns},
    {"hidden_ns", &TimeBreakdown::hidden_ns},
    {"computing_ns", &TimeBreakdown::computing_ns},
    {"uncertain_ns", &TimeBreakdown::uncertain_ns},
    {"waits_unknown", &TimeBreakdown::waits_unknown},
};

inline void TimeBreakdown::add(const TimeBreakdown& other) {
  for (const TimeField& field : kTimeFields) {
    this->*field.value += other.*field.value;
  }
}

}  // namespace traced
