// The clocks of this host. Every instant in a trace is CLOCK_MONOTONIC.

#pragma once

#include <time.h>

#include <cstdint>

namespace traced {

inline std::int64_t readClock(clockid_t id) noexcept {
  timespec ts;
  clock_gettime(id, &ts);
  return std::int64_t{ts.tv_sec} * 1'000'000'000 + ts.tv_nsec;
}

inline std::int64_t nowNs() noexcept { return readClock(CLOCK_MONOTONIC); }

// One instant on three clocks, read one after the other.
struct ClockReading {
  std::int64_t monotonic_ns;
  std::int64_t realtime_ns;
  std::int64_t boottime_ns;
};

inline ClockReading readClocks() noexcept {
  return {nowNs(), readClock(CLOCK_REALTIME), readClock(CLOCK_BOOTTIME)};
}

}  // namespace traced
