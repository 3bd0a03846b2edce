#include "analysis/stream/clock_cursor.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trace_io/wrapping.h"

namespace traced {
namespace {

double distance(std::int64_t from, std::int64_t to) {
  return static_cast<double>(to) - static_cast<double>(from);
}

// Larger numbers of nanoseconds may not fit 64 bits.
constexpr double kLimit = 4e18;

// Truncates to a whole number that fits 64 bits, whatever a file contains.
std::int64_t whole(double ns) {
  return static_cast<std::int64_t>(std::clamp(ns, -kLimit, kLimit));
}

// Rounds like llround(), without the function call.
std::int64_t rounded(double ns) {
  if (std::isnan(ns)) return std::numeric_limits<std::int64_t>::min();
  const std::int64_t below = whole(ns);
  if (std::abs(ns) >= kLimit) return below;
  const double part = ns - static_cast<double>(below);
  return below + (part >= 0.5) - (part <= -0.5);
}

// Rounds like std::ceil(), without the function call. `ns` must not be
// negative.
double roundedUp(double ns) {
  if (!(ns < kLimit)) return ns;
  const auto below = static_cast<double>(static_cast<std::int64_t>(ns));
  return below + (below < ns);
}

// Returns the offset at another instant of the knot's segment.
CertifiedNs offsetBy(const v1::ClockModel& clock, const v1::ClockKnot& knot,
                     std::int64_t monotonic_ns) {
  const double drift =
      roundedUp(std::abs(distance(knot.monotonic_ns(), monotonic_ns)) *
                static_cast<double>(clock.max_drift_ppb()) / 1e9);
  const auto offset = static_cast<double>(knot.offset_ns());
  return {whole(offset - static_cast<double>(knot.below_ns()) - drift),
          whole(offset + static_cast<double>(knot.above_ns()) + drift)};
}

}  // namespace

void ClockCursor::find(std::int64_t monotonic_ns) const {
  const auto& knots = clock_->knot();
  const auto next =
      std::lower_bound(knots.begin(), knots.end(), monotonic_ns,
                       [](const v1::ClockKnot& knot, std::int64_t ns) {
                         return knot.monotonic_ns() < ns;
                       });
  using Limits = std::numeric_limits<std::int64_t>;
  left_ = next == knots.begin() ? nullptr : &*std::prev(next);
  right_ = next == knots.end() ? nullptr : &*next;
  behind_ns_ = left_ ? left_->monotonic_ns() : Limits::min();
  until_ns_ = right_ ? right_->monotonic_ns() : Limits::max();
}

std::int64_t ClockCursor::offsetAt(std::int64_t monotonic_ns) const {
  if (clock_->knot_size() == 0) return clock_->offset_ns();
  seek(monotonic_ns);
  if (!left_ || !right_) {
    const v1::ClockKnot& end = left_ ? *left_ : *right_;
    const double grown = distance(end.monotonic_ns(), monotonic_ns) *
                         static_cast<double>(clock_->rate_ppb()) / 1e9;
    return wrappingSum(end.offset_ns(), rounded(grown));
  }
  const double part = distance(left_->monotonic_ns(), monotonic_ns) /
                      distance(left_->monotonic_ns(), right_->monotonic_ns());
  const double grown = part * distance(left_->offset_ns(), right_->offset_ns());
  return wrappingSum(left_->offset_ns(), rounded(grown));
}

std::optional<CertifiedNs> ClockCursor::certifiedOffset(
    std::int64_t monotonic_ns) const {
  seek(monotonic_ns);
  if (!left_) return offsetBy(*clock_, *right_, monotonic_ns);
  const CertifiedNs left = offsetBy(*clock_, *left_, monotonic_ns);
  if (!right_) return left;
  const CertifiedNs right = offsetBy(*clock_, *right_, monotonic_ns);
  if (right_->monotonic_ns() == monotonic_ns) return right;
  if (right_->starts_segment()) return std::nullopt;
  return CertifiedNs{std::max(left.low_ns, right.low_ns),
                     std::min(left.high_ns, right.high_ns)};
}

std::int64_t ClockCursor::commonNs(std::int64_t monotonic_ns) const {
  return wrappingSum(monotonic_ns, offsetAt(monotonic_ns));
}

std::optional<CertifiedNs> ClockCursor::certifiedNs(
    std::int64_t monotonic_ns) const {
  if (clock_->source() == v1::CLOCK_SOURCE_SAME_CLOCK) {
    const std::int64_t at = wrappingSum(monotonic_ns, clock_->offset_ns());
    return CertifiedNs{at, at};
  }
  if (clock_->knot_size() == 0) return std::nullopt;
  const auto offset = certifiedOffset(monotonic_ns);
  if (!offset) return std::nullopt;
  return CertifiedNs{wrappingSum(monotonic_ns, offset->low_ns),
                     wrappingSum(monotonic_ns, offset->high_ns)};
}

}  // namespace traced
