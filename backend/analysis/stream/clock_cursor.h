// ClockCursor puts instants of one stream on the common time line. It remembers
// where in the model it was: those that follow each other are found at once.

#pragma once

#include <cstdint>
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
  int knotFrom(std::int64_t monotonic_ns) const;
  std::int64_t offsetAt(std::int64_t monotonic_ns) const;
  std::optional<CertifiedNs> certifiedOffset(std::int64_t monotonic_ns) const;

  const v1::ClockModel* clock_;
  // The knot that was found last, or the number of all.
  mutable int near_ = 0;
};

}  // namespace traced
