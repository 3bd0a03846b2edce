// Tests which blocks of calls are hashed and kept.

#include "analysis/live/order_blocks.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

using Block = OrderBlocks::Block;

// Calls numbers `first` to `last` with equal signatures, except for `other`.
void call(OrderWatch& watch, std::uint64_t first, std::uint64_t last,
          std::uint64_t other = 0) {
  for (std::uint64_t seq = first; seq <= last; ++seq) {
    watch.addCall(0, seq, seq == other ? 99 : 7);
  }
}

std::vector<std::uint64_t> numbersOf(const OrderBlocks& blocks) {
  std::vector<std::uint64_t> numbers;
  for (const Block& block : blocks.of(0)) numbers.push_back(block.number);
  return numbers;
}

TEST(OrderBlocksTest, OnlyWholeBlocksCount) {
  OrderWatch watch;
  OrderBlocks blocks;
  call(watch, 1, 62);
  blocks.update(watch, 1);
  EXPECT_TRUE(blocks.of(0).empty());
  call(watch, 63, 63);  // numbers begin at 1
  blocks.update(watch, 1);
  EXPECT_EQ(numbersOf(blocks), std::vector<std::uint64_t>{0});
  EXPECT_TRUE(blocks.of(1).empty());
}

TEST(OrderBlocksTest, EqualProgramsHaveEqualHashesAndOthersDoNot) {
  const auto hashOf = [](std::uint64_t other) {
    OrderWatch watch;
    OrderBlocks blocks;
    call(watch, 1, 63, other);
    blocks.update(watch, 1);
    return blocks.of(0).at(0).hash;
  };
  EXPECT_EQ(hashOf(0), hashOf(0));
  EXPECT_NE(hashOf(0), hashOf(5));
  EXPECT_LT(hashOf(5), std::uint64_t{1} << 52);
}

// A host that is asked seldom still has blocks in common with the others.
TEST(OrderBlocksTest, SomeBlocksStayLong) {
  OrderWatch watch;
  OrderBlocks blocks;
  for (std::uint64_t block = 0; block < 1000; ++block) {
    call(watch, block * 64 + 1, block * 64 + 64);
    blocks.update(watch, 1);
  }
  EXPECT_EQ(numbersOf(blocks),
            (std::vector<std::uint64_t>{0, 512, 896, 960, 984, 992, 998, 999}));
}

TEST(OrderBlocksTest, ABlockWithAHoleIsAbsent) {
  OrderWatch watch;
  OrderBlocks blocks;
  call(watch, 1, 100);
  call(watch, 102, 300);
  blocks.update(watch, 1);
  EXPECT_EQ(numbersOf(blocks), (std::vector<std::uint64_t>{0, 2, 3}));
}

// The observer was away for longer than the window.
TEST(OrderBlocksTest, BlocksThatWereOverwrittenAreAbsent) {
  OrderWatch watch;
  OrderBlocks blocks;
  call(watch, 1, 3 * OrderWatch::kWindow);
  blocks.update(watch, 1);
  for (const Block& block : blocks.of(0)) {
    EXPECT_GE(block.number, 2 * OrderWatch::kWindow / OrderBlocks::kSize);
  }
  EXPECT_FALSE(blocks.of(0).empty());
}

}  // namespace
}  // namespace traced
