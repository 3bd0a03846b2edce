// How exactly it can be told that something came after something else.

#pragma once

#include <cstdint>

namespace traced {

// A rank that fails at once may be gone before a slow one begins; two starts
// are not that close, as a process takes longer to load torch.
inline constexpr std::int64_t kStartMarginNs = 1'000'000'000;
// By how much the wall clocks of two hosts may differ.
inline constexpr std::int64_t kWallMarginNs = 60'000'000'000;

}  // namespace traced
