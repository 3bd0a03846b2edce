// Calls maps handles of NCCL API calls to the recorder's operation and the next
// plugin's handle. NCCL does not report when it drops a handle, so each handle
// stays valid until kEntries later ones were created. Thread safety: any
// thread. Lock-free.

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

  // Returns a handle that equals no address, or nullptr if none is available.
  void* add(const Call& call) noexcept {
    const std::uint64_t number =
        1 + given_.fetch_add(1, std::memory_order_relaxed);
    Entry& entry = entries_[number % kEntries];
    std::uint64_t before = entry.number.load(std::memory_order_relaxed);
    if (before == kBusy ||
        !entry.number.compare_exchange_strong(before, kBusy)) {
      // kEntries calls earlier, another thread is still writing
      return nullptr;
    }
    std::atomic_thread_fence(std::memory_order_release);
    entry.recorder.store(call.operation.recorder, std::memory_order_relaxed);
    entry.id.store(call.operation.id, std::memory_order_relaxed);
    entry.next.store(call.next, std::memory_order_relaxed);
    entry.number.store(number, std::memory_order_release);
    return reinterpret_cast<void*>(kMark | number);
  }

  // Returns whether the handle came from add(), rather than being an address.
  static bool has(const void* handle) noexcept {
    return (reinterpret_cast<std::uintptr_t>(handle) & kMarkBits) == kMark;
  }

  // Requires has(handle). Returns an empty Call if the handle has expired.
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
  // No user-space address has these upper bits.
  static constexpr std::uint64_t kMark = std::uint64_t{0x7ace} << 48;
  static constexpr std::uint64_t kBusy = ~std::uint64_t{0};

  struct Entry {
    std::atomic<std::uint64_t> number{0};
    std::atomic<void*> recorder{nullptr};
    std::atomic<std::uint64_t> id{0};
    std::atomic<void*> next{nullptr};
  };

  // Zero-initialized, so that it takes no space in the library file.
  std::atomic<std::uint64_t> given_{0};
  std::array<Entry, kEntries> entries_{};
};

}  // namespace traced::nccl
