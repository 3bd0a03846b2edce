// How long to leave a server alone that does not answer.

#pragma once

#include <algorithm>
#include <chrono>

namespace traced {

// `every`: how often it is asked otherwise. After a failure it is as long, then
// twice as long, and so on, up to `longest` or `every`. `before`: failures in a
// row before this one.
inline std::chrono::nanoseconds failurePause(std::chrono::nanoseconds every,
                                             std::chrono::nanoseconds longest,
                                             int before) {
  constexpr int kMostDoublings = 16;
  const auto longer = every * (1 << std::min(before, kMostDoublings));
  return std::min(longer, std::max(longest, every));
}

}  // namespace traced
