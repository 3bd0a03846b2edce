// Reads the clocks of this host. Every instant in a trace is CLOCK_MONOTONIC.

#pragma once

#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include <cstdint>
#include <optional>

#include "base/tick_clock.h"

namespace traced {

inline std::int64_t readClock(clockid_t id) noexcept {
  timespec ts;
  clock_gettime(id, &ts);
  return std::int64_t{ts.tv_sec} * 1'000'000'000 + ts.tv_nsec;
}

// The clock of the process. It answers only while disciplineTicks() is called
// regularly.
inline constinit TickClock process_ticks;

// Returns CLOCK_MONOTONIC in nanoseconds, from the tick clock if it answers. A
// later read may be microseconds lower, because the tick clock is corrected.
inline std::int64_t nowNs() noexcept {
#if defined(__x86_64__)
  if (const std::optional<std::int64_t> ns = process_ticks.at(__rdtsc()))
      [[likely]] {
    return *ns;
  }
#endif
  return readClock(CLOCK_MONOTONIC);
}

// Synchronizes `process_ticks` with CLOCK_MONOTONIC. Call it about every 50 ms,
// from any thread. Does nothing if the kernel does not trust the counter.
void disciplineTicks() noexcept;

// Nearly the same instant on three clocks, read one after the other.
struct ClockReading {
  std::int64_t monotonic_ns;
  std::int64_t realtime_ns;
  std::int64_t boottime_ns;
};

inline ClockReading readClocks() noexcept {
  return {readClock(CLOCK_MONOTONIC), readClock(CLOCK_REALTIME),
          readClock(CLOCK_BOOTTIME)};
}

}  // namespace traced
