// Tests how memory is divided into blocks.

#include "recorder/device/host_blocks.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <random>

namespace traced::testing {
namespace {

constexpr std::size_t kUnit = HostBlocks::kAlignment;

class HostBlocksTest : public ::testing::Test {
 protected:
  HostBlocksTest() { blocks_.set(memory_.data(), memory_.size()); }

  alignas(kUnit) std::array<char, 16 * kUnit> memory_{};
  HostBlocks blocks_;
};

TEST_F(HostBlocksTest, TheFirstGapThatIsLargeEnoughIsTaken) {
  char* const first = blocks_.take(2 * kUnit);
  char* const second = blocks_.take(3 * kUnit);
  char* const third = blocks_.take(1);
  EXPECT_EQ(first, memory_.data());
  EXPECT_EQ(second, first + 2 * kUnit);
  EXPECT_EQ(third, second + 3 * kUnit);
  blocks_.giveBack(second);
  EXPECT_EQ(blocks_.take(4 * kUnit), third + kUnit);
  EXPECT_EQ(blocks_.take(3 * kUnit), second);
}

TEST_F(HostBlocksTest, WhatDoesNotFitIsRefused) {
  EXPECT_EQ(blocks_.take(memory_.size() + 1), nullptr);
  EXPECT_EQ(blocks_.take(SIZE_MAX), nullptr);
  EXPECT_EQ(blocks_.take(memory_.size()), memory_.data());
  EXPECT_EQ(blocks_.take(1), nullptr);
  blocks_.giveBack(memory_.data());
  EXPECT_EQ(blocks_.take(1), memory_.data());
}

TEST_F(HostBlocksTest, WithoutMemoryNothingIsGiven) {
  HostBlocks none;
  EXPECT_EQ(none.take(1), nullptr);
  none.set(nullptr, 100);
  EXPECT_EQ(none.take(1), nullptr);
}

TEST_F(HostBlocksTest, BlocksNeverOverlap) {
  const std::uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::map<char*, std::size_t> used;
  for (int i = 0; i < 20'000; ++i) {
    if (random() % 2 == 0 && !used.empty()) {
      const auto some = std::next(
          used.begin(), static_cast<std::ptrdiff_t>(random() % used.size()));
      blocks_.giveBack(some->first);
      used.erase(some);
      continue;
    }
    const std::size_t bytes = 1 + random() % (5 * kUnit);
    char* const block = blocks_.take(bytes);
    if (!block) continue;
    ASSERT_GE(block, memory_.data());
    ASSERT_LE(block + bytes, memory_.data() + memory_.size());
    const auto after = used.lower_bound(block);
    if (after != used.end()) ASSERT_LE(block + bytes, after->first);
    if (after != used.begin()) {
      const auto before = std::prev(after);
      ASSERT_LE(before->first + before->second, block);
    }
    used.emplace(block, bytes);
  }
}

}  // namespace
}  // namespace traced::testing
