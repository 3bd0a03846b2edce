// TickClock computes CLOCK_MONOTONIC from the processor's time stamp counter,
// at about half the cost of a kernel clock read.
//
// discipline() passes readings of both clocks, and at() extrapolates from the
// latest one. Between two readings the error is the drift between counter and
// clock. The drift is a few nanoseconds, except while the system clock is being
// slewed.
//
// Time is continuous: an error is slewed away, never stepped. at() returns
// nullopt, and the caller must ask the kernel, in these cases:
// - no rate is known yet;
// - the last reading is older than kMaxAge;
// - the last reading showed an error above kMaxError;
// - forever, after kMaxFailures such errors.
//
// Thread safety: at() from any thread; discipline() from one thread at a time.

#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace traced {

class TickClock {
 public:
  // A reading of both clocks at one instant.
  struct Pair {
    std::uint64_t ticks;
    std::int64_t ns;
  };

  static constexpr std::int64_t kMaxError = 2'000;          // ns
  static constexpr std::int64_t kMaxAge = 500'000'000;      // ns
  static constexpr std::int64_t kMinInterval = 20'000'000;  // ns
  static constexpr int kMaxFailures = 8;

  // Returns the time in nanoseconds when the counter had the value `ticks`, a
  // recent reading. Returns nullopt if the clock has no answer. Lock-free.
  std::optional<std::int64_t> at(std::uint64_t ticks) const noexcept {
    const std::uint64_t version = version_.load(std::memory_order_acquire);
    const std::uint64_t base = base_ticks_.load(std::memory_order_acquire);
    const std::int64_t ns = base_ns_.load(std::memory_order_acquire);
    const std::uint64_t rate = rate_.load(std::memory_order_acquire);
    const std::uint64_t limit = limit_.load(std::memory_order_acquire);
    // Unsigned: a counter that ran backwards exceeds every limit.
    const std::uint64_t elapsed = ticks - base;
    if (elapsed >= limit || (version & 1) ||
        version != version_.load(std::memory_order_relaxed)) [[unlikely]] {
      return std::nullopt;
    }
    return ns + scaled(elapsed, rate);
  }

  // Corrects the clock by a fresh reading. Ignores readings less than
  // kMinInterval after the previous one.
  void discipline(const Pair& now) noexcept;

 private:
  static constexpr int kShift = 32;

  static std::int64_t scaled(std::uint64_t ticks, std::uint64_t rate) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::int64_t>(Wide{ticks} * rate >> kShift);
  }
  void set(const Pair& base, std::uint64_t rate, std::uint64_t limit) noexcept;

  // All that at() needs, in one cache line. `version_` is odd while the others
  // change.
  alignas(64) std::atomic<std::uint64_t> version_{0};
  std::atomic<std::uint64_t> base_ticks_{0};
  std::atomic<std::int64_t> base_ns_{0};
  std::atomic<std::uint64_t> rate_{0};   // ns per tick, times 2^kShift
  std::atomic<std::uint64_t> limit_{0};  // ticks after base; 0: no answer
  // Used by discipline() only.
  Pair last_{0, 0};
  bool started_ = false;
  int failures_ = 0;
};

}  // namespace traced
