// ClockCursor puts instants of one stream on the common time line. It remembers
// where in the model it was: those that follow each other are found at once.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "analysis/stream/clock_models.h"
#include "traced/v1/clock.pb.h"

namespace traced {

// Not thread safe. The model must outlive it.
class ClockCursor {
 public:
  explicit ClockCursor(const v1::ClockModel& clock) : clock_(&clock) {}

  const v1::ClockModel& model() const { return *clock_; }

  // As the functions of these names in clock_models.h.
  std::int64_t commonNs(std::int64_t monotonic_ns) const;
  std::optional<CertifiedNs> certifiedNs(std::int64_t monotonic_ns) const;

 private:
  // Finds the knots around an instant, if they are not those found last.
  void seek(std::int64_t monotonic_ns) const {
    if (monotonic_ns <= behind_ns_ || monotonic_ns > until_ns_) {
      find(monotonic_ns);
    }
  }
  void find(std::int64_t monotonic_ns) const;
  std::int64_t offsetAt(std::int64_t monotonic_ns) const;
  std::optional<CertifiedNs> certifiedOffset(std::int64_t monotonic_ns) const;

  const v1::ClockModel* clock_;
  // The last knot before instants behind `behind_ns_` and up to `until_ns_`,
  // and the first that is not; nullptr where there is none. None are found yet
  // where there is no such instant.
  mutable const v1::ClockKnot* left_ = nullptr;
  mutable const v1::ClockKnot* right_ = nullptr;
  mutable std::int64_t behind_ns_ = std::numeric_limits<std::int64_t>::max();
  mutable std::int64_t until_ns_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace traced
