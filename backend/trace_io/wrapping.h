// Adds and subtracts 64-bit numbers with wrap-around, as trace.proto defines
// it. Only damaged or hostile values overflow.

#pragma once

#include <cstdint>

namespace traced {

inline std::int64_t wrappingSum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) +
                                   static_cast<std::uint64_t>(b));
}

inline std::int64_t wrappingDifference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) -
                                   static_cast<std::uint64_t>(b));
}

// Differences of instants within +/- kLatestNs do not overflow. Only damaged or
// hostile instants are beyond.
inline constexpr std::int64_t kLatestNs = std::int64_t{1} << 60;

inline bool differencesFit(std::int64_t ns) {
  return -kLatestNs < ns && ns < kLatestNs;
}

}  // namespace traced
