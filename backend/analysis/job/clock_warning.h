// What is to be known of the clock of a host.

#pragma once

#include <cstdint>
#include <string>

namespace traced {

struct ClockWarning {
  // "" where nobody told it, and its first rank.
  std::string host;
  std::uint32_t rank = 0;
  // False: nothing bounds the clock from both sides, so it is placed by its
  // wall clock. True: it stepped by so much, within so long.
  bool stepped = false;
  std::int64_t by_ns = 0;
  std::int64_t within_ns = 0;

  bool operator==(const ClockWarning&) const = default;
};

}  // namespace traced
