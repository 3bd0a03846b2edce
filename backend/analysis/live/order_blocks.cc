#include "analysis/live/order_blocks.h"

#include <algorithm>

#include "trace_io/word_hash.h"

namespace traced {
namespace {

constexpr std::uint64_t kHashBits = (std::uint64_t{1} << 52) - 1;
constexpr std::uint64_t kBlocksInWindow =
    OrderWatch::kWindow / OrderBlocks::kSize;

// Returns nothing if a call of the block is unknown.
std::optional<std::uint64_t> hashOf(const OrderWatch& watch,
                                    std::uint32_t group, std::uint64_t block) {
  std::array<std::uint64_t, OrderBlocks::kSize> signatures{};
  for (std::uint64_t i = 0; i < OrderBlocks::kSize; ++i) {
    const std::uint64_t seq = block * OrderBlocks::kSize + i;
    if (seq == 0) continue;  // sequence numbers begin at 1
    const auto signature = watch.signatureAt(group, seq);
    if (!signature) return std::nullopt;
    signatures[i] = *signature;
  }
  return wordHash(signatures) & kHashBits;
}

}  // namespace

void OrderBlocks::update(const OrderWatch& watch, std::size_t groups) {
  groups_.resize(std::max(groups_.size(), groups));
  for (std::uint32_t i = 0; i < groups_.size(); ++i) {
    Group& group = groups_[i];
    const std::uint64_t end = (watch.newest(i) + 1) / kSize;
    if (end > kBlocksInWindow)
      group.next = std::max(group.next, end - kBlocksInWindow);
    for (; group.next < end; ++group.next) {
      if (const auto hash = hashOf(watch, i, group.next)) {
        keep(group, {group.next, *hash});
      }
    }
  }
}

void OrderBlocks::keep(Group& group, const Block& block) {
  std::uint64_t step = 1;
  for (auto& level : group.levels) {
    if (block.number % step != 0) return;
    std::copy_backward(level.begin(), level.end() - 1, level.end());
    level.front() = block;
    step *= kBase;
  }
}

std::vector<OrderBlocks::Block> OrderBlocks::of(std::uint32_t group) const {
  std::vector<Block> blocks;
  if (group >= groups_.size()) return blocks;
  for (const auto& level : groups_[group].levels) {
    for (const std::optional<Block>& block : level) {
      if (block) blocks.push_back(*block);
    }
  }
  const auto by_number = [](const Block& a, const Block& b) {
    return a.number < b.number;
  };
  const auto same = [](const Block& a, const Block& b) {
    return a.number == b.number;
  };
  std::sort(blocks.begin(), blocks.end(), by_number);
  blocks.erase(std::unique(blocks.begin(), blocks.end(), same), blocks.end());
  return blocks;
}

}  // namespace traced
