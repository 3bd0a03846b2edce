// IndexQueue passes small numbers between threads. Any thread may push or pop.
// It holds kCapacity numbers and never blocks.
//
// The `turn` of each cell shows its state. A push may write a cell if `turn`
// equals the position. A pop may read it if `turn` is one more.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace traced {

template <std::size_t kCapacity>
class IndexQueue {
 public:
  static_assert((kCapacity & (kCapacity - 1)) == 0);

  IndexQueue() {
    for (std::size_t i = 0; i < kCapacity; ++i) cells_[i].turn = i;
  }

  // Returns false if the queue is full.
  bool push(std::uint32_t value) noexcept {
    std::uint64_t at = pushed_.load(std::memory_order_relaxed);
    for (;;) {
      Cell& cell = cells_[at % kCapacity];
      const auto ahead = static_cast<std::int64_t>(
          cell.turn.load(std::memory_order_acquire) - at);
      if (ahead < 0) return false;
      if (ahead > 0) {
        at = pushed_.load(std::memory_order_relaxed);
      } else if (pushed_.compare_exchange_weak(at, at + 1,
                                               std::memory_order_relaxed)) {
        cell.value = value;
        cell.turn.store(at + 1, std::memory_order_release);
        return true;
      }
    }
  }

  // Returns nullopt if the queue is empty.
  std::optional<std::uint32_t> pop() noexcept {
    std::uint64_t at = popped_.load(std::memory_order_relaxed);
    for (;;) {
      Cell& cell = cells_[at % kCapacity];
      const auto ahead = static_cast<std::int64_t>(
          cell.turn.load(std::memory_order_acquire) - (at + 1));
      if (ahead < 0) return std::nullopt;
      if (ahead > 0) {
        at = popped_.load(std::memory_order_relaxed);
      } else if (popped_.compare_exchange_weak(at, at + 1,
                                               std::memory_order_relaxed)) {
        const std::uint32_t value = cell.value;
        cell.turn.store(at + kCapacity, std::memory_order_release);
        return value;
      }
    }
  }

 private:
  struct Cell {
    std::atomic<std::uint64_t> turn;
    std::uint32_t value;
  };

  std::array<Cell, kCapacity> cells_;
  alignas(64) std::atomic<std::uint64_t> pushed_{0};
  alignas(64) std::atomic<std::uint64_t> popped_{0};
};

}  // namespace traced
