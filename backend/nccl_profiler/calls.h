// Calls are handles for the calls of NCCL's functions that it tells of: which
// operation of ours each belongs to, and what the next plugin calls it. NCCL
// does not say when it forgets a handle, so each is good until kEntries later
// ones were given out.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "nccl_profiler/recorder_link.h"

namespace traced::nccl {

class Calls {
 public:
  static constexpr std::size_t kEntries = 8192;

  struct Call {
    Operation operation;
    void* next = nullptr;  // the next plugin's handle
  };

  // A handle that no address equals; null: it cannot be had.
  void* add(const Call& call) noexcept {
    const std::uint64_t number =
        1 + given_.fetch_add(1, std::memory_order_relaxed);
    Entry& entry = entries_[number % kEntries];
    std::uint64_t before = entry.number.load(std::memory_order_relaxed);
    if (before == kBusy ||
        !entry.number.compare_exchange_strong(before, kBusy)) {
      return nullptr;  // another thread is at it, kEntries calls behind
    }
    std::atomic_thread_fence(std::memory_order_release);
    entry.recorder.store(call.operation.recorder, std::memory_order_relaxed);
    entry.id.store(call.operation.id, std::memory_order_relaxed);
    entry.next.store(call.next, std::memory_order_relaxed);
    entry.number.store(number, std::memory_order_release);
    return reinterpret_cast<void*>(kMark | number);
  }

  static bool has(const void* handle) noexcept {
    return (reinterpret_cast<std::uintptr_t>(handle) & kMarkBits) == kMark;
  }

  // What has(): empty where it was forgotten.
  Call find(const void* handle) const noexcept {
    const std::uint64_t number =
        reinterpret_cast<std::uintptr_t>(handle) & ~kMarkBits;
    const Entry& entry = entries_[number % kEntries];
    if (entry.number.load(std::memory_order_acquire) != number) return {};
    const Call call{{entry.recorder.load(std::memory_order_relaxed),
                     entry.id.load(std::memory_order_relaxed)},
                    entry.next.load(std::memory_order_relaxed)};
    std::atomic_thread_fence(std::memory_order_acquire);
    const bool is_whole =
        entry.number.load(std::memory_order_relaxed) == number;
    return is_whole ? call : Call{};
  }

 private:
  static constexpr std::uint64_t kMarkBits = std::uint64_t{0xffff} << 48;
  // The upper half of addresses is the kernel's, and so high up there is none.
  static constexpr std::uint64_t kMark = std::uint64_t{0x7ace} << 48;
  static constexpr std::uint64_t kBusy = ~std::uint64_t{0};

  struct Entry {
    std::atomic<std::uint64_t> number{0};
    std::atomic<void*> recorder{nullptr};
    std::atomic<std::uint64_t> id{0};
    std::atomic<void*> next{nullptr};
  };

  // All 0 at first, so that it takes no room in the library.
  std::atomic<std::uint64_t> given_{0};
  std::array<Entry, kEntries> entries_{};
};

}  // namespace traced::nccl
