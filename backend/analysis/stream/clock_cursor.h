// ClockCursor converts instants of one stream to common time. It caches its
// position in the model, so ascending instants are fast.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "analysis/stream/clock_models.h"
#include "traced/v1/clock.pb.h"

namespace traced {

// Not thread safe, not even the const functions. The model must outlive it.
class ClockCursor {
 public:
  explicit ClockCursor(const v1::ClockModel& clock) : clock_(&clock) {}

  const v1::ClockModel& model() const { return *clock_; }

  // See the functions of these names in clock_models.h.
  std::int64_t commonNs(std::int64_t monotonic_ns) const;
  std::optional<CertifiedNs> certifiedNs(std::int64_t monotonic_ns) const;

 private:
  // Finds the knots around an instant, unless they are cached.
  void seek(std::int64_t monotonic_ns) const {
    if (monotonic_ns <= behind_ns_ || monotonic_ns > until_ns_) {
      find(monotonic_ns);
    }
  }
  void find(std::int64_t monotonic_ns) const;
  std::int64_t offsetAt(std::int64_t monotonic_ns) const;
  std::optional<CertifiedNs> certifiedOffset(std::int64_t monotonic_ns) const;

  const v1::ClockModel* clock_;
  // Cached knots around the instants in (behind_ns_, until_ns_]; nullptr before
  // the first or after the last knot. The initial interval is empty.
  mutable const v1::ClockKnot* left_ = nullptr;
  mutable const v1::ClockKnot* right_ = nullptr;
  mutable std::int64_t behind_ns_ = std::numeric_limits<std::int64_t>::max();
  mutable std::int64_t until_ns_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace traced
