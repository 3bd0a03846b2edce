#include "base/clock.h"

#include <atomic>
#include <fstream>
#include <string>

namespace traced {

#if defined(__x86_64__)
namespace {

// Returns whether the kernel uses the counter as its clock source. It does so
// only if the counter is constant and synchronous across cores.
bool kernelTrustsTicks() {
  std::ifstream file(
      "/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string name;
  return file >> name && name == "tsc";
}

// Maximum ticks between the two counter readings around a clock read. A longer
// interval means that the thread was interrupted.
constexpr std::uint64_t kMaxTicks = 2'000;
constexpr int kAttempts = 5;

std::optional<TickClock::Pair> readPair() noexcept {
  std::uint64_t least = kMaxTicks;
  std::optional<TickClock::Pair> best;
  for (int i = 0; i < kAttempts; ++i) {
    const std::uint64_t before = __rdtsc();
    const std::int64_t ns = readClock(CLOCK_MONOTONIC);
    const std::uint64_t took = __rdtsc() - before;
    if (took >= least) continue;
    least = took;
    best = {before + took / 2, ns};
  }
  return best;
}

}  // namespace

void disciplineTicks() noexcept {
  static const bool trusted = kernelTrustsTicks();
  static std::atomic<bool> busy{false};
  if (!trusted || busy.exchange(true, std::memory_order_acquire)) return;
  if (const auto pair = readPair()) process_ticks.discipline(*pair);
  busy.store(false, std::memory_order_release);
}

#else

void disciplineTicks() noexcept {}

#endif

}  // namespace traced
