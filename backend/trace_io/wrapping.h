// Sums and differences of 64 bits that wrap around, as those of trace.proto do:
// only what is damaged or hostile gets there.

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

// Differences of instants up to it fit. Only what is damaged or hostile lies
// beyond.
inline constexpr std::int64_t kLatestNs = std::int64_t{1} << 60;

inline bool differencesFit(std::int64_t ns) {
  return -kLatestNs < ns && ns < kLatestNs;
}

}  // namespace traced
