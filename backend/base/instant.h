// Instant is a point in time, or "not observed".

#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace traced {

// Nanoseconds on CLOCK_MONOTONIC of the host that recorded it.
class Instant {
 public:
  // Not observed.
  constexpr Instant() = default;
  constexpr explicit Instant(std::int64_t ns) : ns_(ns) {}

  constexpr bool known() const { return ns_ != kUnknown; }
  // Requires known().
  constexpr std::int64_t ns() const { return ns_; }

  // Returns false if this instant was not observed. Any observed instant is
  // after an unobserved one.
  constexpr bool isAfter(Instant other) const { return ns_ > other.ns_; }

 private:
  static constexpr std::int64_t kUnknown =
      std::numeric_limits<std::int64_t>::min();

  std::int64_t ns_ = kUnknown;
};

// Returns the nanoseconds from one instant to another. Returns nullopt if
// either was not observed, or if `to` is before `from`, which happens only in
// damaged records.
inline std::optional<std::uint64_t> between(Instant from, Instant to) {
  if (!from.known() || !to.known() || to.ns() < from.ns()) return std::nullopt;
  return static_cast<std::uint64_t>(to.ns()) -
         static_cast<std::uint64_t>(from.ns());
}

}  // namespace traced
