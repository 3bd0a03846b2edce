// OrderBlocks hashes which calls a host's ranks made in a group, in blocks of
// sequence numbers. Equal programs have equal hashes on all hosts, so a monitor
// can compare hosts that it asks at different times.
//
// It keeps the latest blocks, and the latest of every kBase-th, kBase^2-th, ...
// block. These stay long enough to be seen by a monitor that asks seldom.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/live/order_watch.h"

namespace traced {

// Not thread safe. Memory: 200 bytes per group.
class OrderBlocks {
 public:
  // Sequence numbers per block. Block b has those from b * kSize on.
  static constexpr std::uint64_t kSize = 64;
  static constexpr std::uint64_t kBase = 8;
  static constexpr std::size_t kLevels = 4;
  // Blocks kept per level.
  static constexpr std::size_t kKept = 2;

  struct Block {
    std::uint64_t number = 0;
    // Has 52 bits, which a double holds exactly.
    std::uint64_t hash = 0;
  };

  // Hashes the blocks that have become complete. Skips those with a number that
  // `watch` no longer has, or never had.
  void update(const OrderWatch& watch, std::size_t groups);

  // Returns the kept blocks of a group, each once, in ascending order.
  std::vector<Block> of(std::uint32_t group) const;

 private:
  struct Group {
    // The first block that is not hashed yet.
    std::uint64_t next = 0;
    // Per level: the latest first.
    std::array<std::array<std::optional<Block>, kKept>, kLevels> levels;
  };

  static void keep(Group& group, const Block& block);

  std::vector<Group> groups_;
};

}  // namespace traced
