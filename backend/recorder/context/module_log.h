// ModuleLog remembers which module a thread ran while it made which nodes of
// the autograd graph. Nodes are numbered in the order in which a thread makes
// them, so that it takes an entry per change of module and nothing per node:
// backward learns from it what a node is of, and nothing has to be attached to
// the graph.
//
// It keeps the latest kEntries changes: 100 000 calls of modules may lie
// between a forward and its backward.
//
// Thread safety: note() from the thread whose log it is, at() from any. Neither
// waits.

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

  // The nodes from number `next_node` are of this module; 0: of none.
  void note(std::uint64_t next_node, std::uint32_t module);
  // What module the node is of; nullopt when that is forgotten.
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

  // Made when they are needed first.
  std::array<std::atomic<Block*>, kBlocks> blocks_{};
  // How many entries there ever were; the latest kEntries are here.
  std::atomic<std::uint64_t> count_{0};
};

// The calling thread's own log, whose thread is known by `thread_id` to others.
ModuleLog& moduleLogOfThread(std::uint64_t thread_id);
// The log of a thread, also of one that has ended unless many did so since;
// nullptr if there is none. Valid until the calling thread asks again.
const ModuleLog* findModuleLog(std::uint64_t thread_id) noexcept;

}  // namespace traced
