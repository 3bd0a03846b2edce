// A warning about a host's clock.

#pragma once

#include <cstdint>
#include <string>

namespace traced {

struct ClockWarning {
  // Empty if the host is not recorded. `rank` is the host's first rank.
  std::string host;
  std::uint32_t rank = 0;
  // True: the clock stepped by `by_ns` within `within_ns`. False: nothing
  // bounds the clock from both sides, so its wall clock places it.
  bool stepped = false;
  std::int64_t by_ns = 0;
  std::int64_t within_ns = 0;

  bool operator==(const ClockWarning&) const = default;
};

}  // namespace traced
