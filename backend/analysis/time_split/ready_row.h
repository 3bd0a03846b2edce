// ReadyRow tracks which rank was ready last for one collective.

#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "analysis/job/matched_calls.h"
#include "analysis/stream/clock_models.h"

namespace traced {

// An instant in common time with its certified interval. Between instants of
// one clock, the difference of `own_ns` is exact. The instant may have been up
// to `early_ns` earlier.
struct CommonInstant {
  std::int64_t ns = 0;
  std::int64_t own_ns = 0;
  CertifiedNs certified;
  std::uint32_t clock = 0;
  std::int64_t early_ns = 0;
};

// A time between two instants, with its lower and upper bound.
struct CertifiedTime {
  std::int64_t ns = 0;
  std::int64_t low_ns = 0;
  std::int64_t high_ns = 0;
};

// LatestByClock keeps the latest instants of the two clocks that are furthest
// ahead. This is enough to know, for each clock, the latest instant of all
// other clocks.
class LatestByClock {
 public:
  // Adds an instant of `clock`: its own time, and a bound of its common time.
  // All calls must pass the same kind of bound, lower or upper.
  void add(std::int64_t own_ns, std::int64_t certified_ns, std::uint32_t clock);

  struct One {
    std::int64_t own_ns = 0;
    std::int64_t certified_ns = 0;
    std::uint32_t clock = 0;
    bool any = false;
  };
  // Returns the entries that are set: none, one or two, in no order.
  absl::Span<const One> all() const {
    return {latest_, std::size_t{latest_[0].any} + latest_[1].any};
  }

 private:
  One latest_[2];
};

struct ReadyRow {
  std::uint64_t signature = 0;
  // The last and second last rank on which others depend, by estimated ready
  // time.
  CommonInstant last, before_last;
  std::uint32_t last_rank = 0;
  std::uint32_t joined = 0;
  // The latest by earliest possible ready time, and by latest possible one.
  LatestByClock earliest, latest_by_clock;
  // The last and second last over all ranks that take part, and how many of
  // them have a known ready time.
  CertifiedNs latest, before_latest;
  std::uint32_t present = 0;
  // Number of ranks that recorded their call, with or without a ready time.
  std::uint32_t parts = 0;
  bool unusable = false;

  // Adds a rank that takes part. Call once per rank with a known ready time.
  void addParticipant(const CommonInstant& ready);
  // Adds a rank on which others depend. Call in addition to addParticipant().
  void join(const CommonInstant& ready, std::uint32_t rank);

  // Returns how long after `instant` the last rank was ready; negative if
  // before.
  CertifiedTime lastAfter(const CommonInstant& instant) const;
  // Returns whether all others were certainly ready before the last one.
  bool isLastCertain() const;
  // Returns whether all ranks whose starts matter were added. `call`: the call
  // of any of them.
  bool isComplete(const MatchedCall& call) const {
    return joined == call.role.provable;
  }
  // Returns an upper bound, in common time, of the last ready time before
  // `end`, over all ranks that take part. `end` is the end of the operation.
  std::int64_t lastBeforeNs(const MatchedCall& call, CertifiedNs end) const;
};

}  // namespace traced
