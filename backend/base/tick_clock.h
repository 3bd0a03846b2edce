// TickClock tells CLOCK_MONOTONIC from the processor's time stamp counter, at
// half the price of asking the kernel.
//
// It is told every now and then what both clocks say at one instant, and
// counts on from there. Between two such pairs it is wrong by what the counter
// and the clock drifted apart since: nanoseconds, or, at the moment in which
// somebody begins to slew the clock, as much as it slews until the next pair.
// It runs continuously: an error found is not jumped over, but slewed away. It
// does not answer, and the caller asks the kernel, while it has no rate, when
// the last pair is old, after it was found wrong by more than kMaxError, and
// for ever when that happened often or the kernel does not trust the counter.
//
// Thread safety: at() from any thread; discipline() from one at a time.

#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace traced {

class TickClock {
 public:
  // Both clocks at one instant.
  struct Pair {
    std::uint64_t ticks;
    std::int64_t ns;
  };

  static constexpr std::int64_t kMaxError = 2'000;          // ns
  static constexpr std::int64_t kMaxAge = 500'000'000;      // ns
  static constexpr std::int64_t kMinInterval = 20'000'000;  // ns
  static constexpr int kMaxFailures = 8;

  // The time at which the counter stood at `ticks`, about now.
  std::optional<std::int64_t> at(std::uint64_t ticks) const noexcept {
    const std::uint64_t version = version_.load(std::memory_order_acquire);
    const std::uint64_t base = base_ticks_.load(std::memory_order_acquire);
    const std::int64_t ns = base_ns_.load(std::memory_order_acquire);
    const std::uint64_t rate = rate_.load(std::memory_order_acquire);
    const std::uint64_t limit = limit_.load(std::memory_order_acquire);
    // A counter that went back is far above every limit, too.
    const std::uint64_t elapsed = ticks - base;
    if (elapsed >= limit || (version & 1) ||
        version != version_.load(std::memory_order_relaxed)) [[unlikely]] {
      return std::nullopt;
    }
    return ns + scaled(elapsed, rate);
  }

  void discipline(const Pair& now) noexcept;

 private:
  static constexpr int kShift = 32;

  static std::int64_t scaled(std::uint64_t ticks, std::uint64_t rate) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::int64_t>(Wide{ticks} * rate >> kShift);
  }
  void set(const Pair& base, std::uint64_t rate, std::uint64_t limit) noexcept;

  // What at() needs, in one cache line. Odd while it is being changed.
  alignas(64) std::atomic<std::uint64_t> version_{0};
  std::atomic<std::uint64_t> base_ticks_{0};
  std::atomic<std::int64_t> base_ns_{0};
  std::atomic<std::uint64_t> rate_{0};   // ns per tick, times 2^kShift
  std::atomic<std::uint64_t> limit_{0};  // ticks after base; 0: no answer
  // Owned by who disciplines.
  Pair last_{0, 0};
  bool started_ = false;
  int failures_ = 0;
};

}  // namespace traced
