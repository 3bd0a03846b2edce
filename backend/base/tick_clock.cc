#include "base/tick_clock.h"

#include <cmath>
#include <cstdlib>

namespace traced {

void TickClock::discipline(const Pair& now) noexcept {
  const std::int64_t interval_ns = now.ns - last_.ns;
  if (failures_ >= kMaxFailures) return;
  if (started_ && interval_ns >= 0 && interval_ns < kMinInterval) return;
  const Pair before = last_;
  const bool has_rate = started_ && interval_ns > 0 && now.ticks > before.ticks;
  last_ = now;
  started_ = true;
  const std::optional<std::int64_t> predicted = at(now.ticks);
  const std::int64_t error_ns = predicted ? *predicted - now.ns : 0;
  if (!has_rate || std::abs(error_ns) > kMaxError) {
    failures_ += predicted.has_value();
    set(now, 0, 0);
    return;
  }
  // Starts at the value that at() returns now and meets the clock after half of
  // kMaxAge. The error therefore never grows beyond the current one.
  constexpr double kHorizon = static_cast<double>(kMaxAge) / 2;
  const double ns_per_tick = static_cast<double>(interval_ns) /
                             static_cast<double>(now.ticks - before.ticks) *
                             (1 - static_cast<double>(error_ns) / kHorizon);
  const double limit = static_cast<double>(kMaxAge) / ns_per_tick;
  set({now.ticks, now.ns + error_ns},
      static_cast<std::uint64_t>(std::ldexp(ns_per_tick, kShift)),
      static_cast<std::uint64_t>(limit));
}

void TickClock::set(const Pair& base, std::uint64_t rate,
                    std::uint64_t limit) noexcept {
  const std::uint64_t odd = version_.load(std::memory_order_relaxed) | 1;
  version_.store(odd, std::memory_order_relaxed);
  // Release: a reader that sees any of these values also sees the odd version.
  base_ticks_.store(base.ticks, std::memory_order_release);
  base_ns_.store(base.ns, std::memory_order_release);
  rate_.store(rate, std::memory_order_release);
  limit_.store(limit, std::memory_order_release);
  version_.store(odd + 1, std::memory_order_release);
}

}  // namespace traced
