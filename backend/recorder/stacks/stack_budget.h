// StackBudget limits the bytes of newly described stacks. A program may have
// arbitrarily many different stacks, and each takes kilobytes in the ring, the
// trace and the writer's memory.
//
// Thread safety: any thread. Concurrent callers may each use the remaining
// budget.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace traced {

class StackBudget {
 public:
  // Burst size, which fits into half of the default ring, and sustained rate.
  static constexpr std::int64_t kBurstBytes = std::int64_t{2} << 20;
  static constexpr std::int64_t kBytesPerSecond = std::int64_t{64} << 10;

  // Returns whether another stack may be described at `now_ns` (monotonic).
  bool hasRoom(std::int64_t now_ns) const noexcept {
    return free_at_ns_.load(std::memory_order_relaxed) - now_ns <
           kBurstBytes * kNsPerByte;
  }
  // Charges a description of `bytes` at `now_ns` (monotonic).
  void spend(std::size_t bytes, std::int64_t now_ns) noexcept {
    const std::int64_t ns = static_cast<std::int64_t>(bytes) * kNsPerByte;
    std::int64_t before = free_at_ns_.load(std::memory_order_relaxed);
    while (!free_at_ns_.compare_exchange_weak(
        before, std::max(before, now_ns) + ns, std::memory_order_relaxed)) {
    }
  }

 private:
  static constexpr std::int64_t kNsPerByte = 1'000'000'000 / kBytesPerSecond;

  // Monotonic time at which all spent bytes are repaid.
  std::atomic<std::int64_t> free_at_ns_{0};
};

}  // namespace traced
