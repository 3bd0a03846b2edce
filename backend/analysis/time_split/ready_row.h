// Who was ready last for one collective.

#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "analysis/job/matched_calls.h"
#include "analysis/stream/clock_models.h"

namespace traced {

// An instant on the common time line, with the interval that its clock is
// certainly in there; between instants of one clock, which it tells as
// `own_ns`, that is no doubt. By `early_ns` it may have been earlier.
struct CommonInstant {
  std::int64_t ns = 0;
  std::int64_t own_ns = 0;
  CertifiedNs certified;
  std::uint32_t clock = 0;
  std::int64_t early_ns = 0;
};

// A time between two instants, and the least and most it can be.
struct CertifiedTime {
  std::int64_t ns = 0;
  std::int64_t low_ns = 0;
  std::int64_t high_ns = 0;
};

// The latest of some instants of each clock, for the two clocks that are ahead:
// so for each clock the latest of all others is known.
class LatestByClock {
 public:
  // On its own clock, and as a bound on the common time line.
  void add(std::int64_t own_ns, std::int64_t certified_ns, std::uint32_t clock);

  struct One {
    std::int64_t own_ns = 0;
    std::int64_t certified_ns = 0;
    std::uint32_t clock = 0;
    bool any = false;
  };
  absl::Span<const One> all() const {
    return {latest_, std::size_t{latest_[0].any} + latest_[1].any};
  }

 private:
  One latest_[2];
};

struct ReadyRow {
  std::uint64_t signature = 0;
  // Of the ranks that others depend on, as well as it is known: when the last
  // was ready, and the last but one.
  CommonInstant last, before_last;
  std::uint32_t last_rank = 0;
  std::uint32_t arrived = 0;
  // When they were, at the earliest and at the latest.
  LatestByClock earliest, latest_by_clock;
  // Of all ranks with a part in it: those that were ready last, and how many
  // are known.
  CertifiedNs latest, before_latest;
  std::uint32_t present = 0;
  // How many ranks told their part in it, whether they know when they were
  // ready or not.
  std::uint32_t parts = 0;
  bool unusable = false;

  // A rank with a part in it was ready.
  void bePresent(const CommonInstant& ready);
  // It is one that others depend on.
  void arrive(const CommonInstant& ready, std::uint32_t rank);

  // How long after an instant the last one was ready; below 0: before.
  CertifiedTime lastAfter(const CommonInstant& instant) const;
  // Whether it is certain that all others were ready before the last one.
  bool isLastCertain() const;
  // All whose starts matter have arrived. `call`: of one of them.
  bool isComplete(const MatchedCall& call) const {
    return arrived == call.role.provable;
  }
  // Until when at the latest somebody with a part in an operation that ended
  // at `end` was ready before it did.
  std::int64_t lastBeforeNs(const MatchedCall& call, CertifiedNs end) const;
};

}  // namespace traced
