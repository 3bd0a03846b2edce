// Instant is a moment that may not have been observed.

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
  // Only when known().
  constexpr std::int64_t ns() const { return ns_; }

  // One that was not observed is later than none.
  constexpr bool isAfter(Instant other) const { return ns_ > other.ns_; }

 private:
  static constexpr std::int64_t kUnknown =
      std::numeric_limits<std::int64_t>::min();

  std::int64_t ns_ = kUnknown;
};

// Nanoseconds from one instant to another. Absent when one was not observed, or
// when time would run backwards, which only a damaged record says.
inline std::optional<std::uint64_t> between(Instant from, Instant to) {
  if (!from.known() || !to.known() || to.ns() < from.ns()) return std::nullopt;
  return static_cast<std::uint64_t>(to.ns()) -
         static_cast<std::uint64_t>(from.ns());
}

}  // namespace traced
