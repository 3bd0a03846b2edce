// ModuleLog records which module a thread ran while it created nodes of the
// autograd graph. A thread numbers its nodes in creation order, so the log
// needs one entry per change of module and none per node. During backward, the
// log maps a node to its module without attaching anything to the graph.
//
// It keeps the latest kEntries changes. That covers about 100,000 module calls
// between a forward and its backward.
//
// Thread safety: note() from the owning thread, at() from any thread. Neither
// blocks.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace traced {

class ModuleLog {
 public:
  static constexpr std::size_t kBlockEntries = 2048;
  static constexpr std::size_t kBlocks = 128;
  static constexpr std::size_t kEntries = kBlockEntries * kBlocks;

  ModuleLog() = default;
  ~ModuleLog();
  ModuleLog(const ModuleLog&) = delete;
  ModuleLog& operator=(const ModuleLog&) = delete;

  // Records that nodes numbered `next_node` and above belong to `module`; 0
  // means none.
  void note(std::uint64_t next_node, std::uint32_t module);
  // Returns the module of a node, or nullopt if its entry was overwritten.
  std::optional<std::uint32_t> at(std::uint64_t node) const noexcept;

 private:
  struct Entry {
    std::atomic<std::uint64_t> first_node{0};
    std::atomic<std::uint32_t> module{0};
  };
  using Block = std::array<Entry, kBlockEntries>;

  Entry& entry(std::uint64_t index) const noexcept {
    const std::size_t place = index % kEntries;
    Block* block =
        blocks_[place / kBlockEntries].load(std::memory_order_acquire);
    return (*block)[place % kBlockEntries];
  }

  // Allocated at first use.
  std::array<std::atomic<Block*>, kBlocks> blocks_{};
  // Number of entries ever written. The latest kEntries are stored.
  std::atomic<std::uint64_t> count_{0};
};

// Returns the calling thread's own log. Other threads find it by `thread_id`.
ModuleLog& moduleLogOfThread(std::uint64_t thread_id);
// Returns the log of a thread, or nullptr. Logs of ended threads stay available
// until many more threads have ended. Valid until the calling thread calls this
// again.
const ModuleLog* findModuleLog(std::uint64_t thread_id) noexcept;

}  // namespace traced
