// HostBlocks divides one piece of memory into blocks, which are returned in any
// order.
//
// Thread safety: any thread.

#pragma once

#include <cstddef>
#include <map>
#include <mutex>

namespace traced {

class HostBlocks {
 public:
  // Blocks begin at multiples of this many bytes.
  static constexpr std::size_t kAlignment = 64;

  // Sets the memory, once.
  void set(char* memory, std::size_t bytes) noexcept;
  // Returns a block from the first gap that is large enough, or nullptr.
  // Requires `bytes` > 0.
  char* take(std::size_t bytes) noexcept;
  void giveBack(char* block) noexcept;

 private:
  std::mutex mutex_;
  char* memory_ = nullptr;
  std::size_t bytes_ = 0;
  // The blocks that are in use: their begins and ends in the memory.
  std::map<std::size_t, std::size_t> used_;
};

}  // namespace traced
