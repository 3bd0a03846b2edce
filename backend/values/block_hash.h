// BlockHash hashes the memory of a tensor.
//
// The hash of at most kBlockBytes is their 64-bit XXH3. Longer memory is cut
// into blocks of kBlockBytes, and the hash is the XXH3 of the blocks' hashes,
// as little-endian words. A device can thus hash blocks in parallel.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace traced {

class BlockHash {
 public:
  static constexpr std::size_t kBlockBytes = 16384;

  BlockHash();
  ~BlockHash();
  BlockHash(const BlockHash&) = delete;
  BlockHash& operator=(const BlockHash&) = delete;

  // Appends memory. The hash depends only on all bytes together.
  void add(const void* memory, std::size_t bytes) noexcept;
  std::uint64_t value() const noexcept;

 private:
  struct State;

  void addBlock(std::uint64_t hash) noexcept;
  void addToRest(const char* memory, std::size_t bytes) noexcept;

  const std::unique_ptr<State> state_;
};

}  // namespace traced
