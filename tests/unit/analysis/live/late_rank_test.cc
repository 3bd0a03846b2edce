// Tests the detection of a late rank while a job runs.

#include "analysis/live/late_rank.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

constexpr std::uint64_t kLateMs = 1'000'000;

class LateRankTest : public ::testing::Test {
 protected:
  // Rank 2 is last in ten operations, by `of_two_ms` in total; rank 0 in as
  // many, by `of_zero_ms`.
  void quarter(std::uint64_t of_two_ms, std::uint64_t of_zero_ms,
               bool starved = false) {
    for (int i = 0; i < 10; ++i) {
      late_.add(2, of_two_ms * kLateMs / 10);
      late_.add(0, of_zero_ms * kLateMs / 10);
    }
    now_ns_ += LateRank::kQuarterNs;
    late_.update(now_ns_, starved);
  }

  LateRank late_;
  std::int64_t now_ns_ = 1;

  void SetUp() override { late_.update(now_ns_, false); }
};

TEST_F(LateRankTest, StartsAfterAWholeWindowAndEnds) {
  for (int i = 0; i < 3; ++i) {
    quarter(1000, 50);
    EXPECT_FALSE(late_.late());
  }
  quarter(1000, 50);
  ASSERT_TRUE(late_.late());
  EXPECT_EQ(late_.late()->rank, 2U);
  EXPECT_NEAR(late_.late()->of_time, 0.2, 0.01);
  EXPECT_NEAR(late_.late()->of_waiting, 0.95, 0.01);
  // Half of the lateness keeps the verdict.
  quarter(400, 50);
  EXPECT_TRUE(late_.late());
  quarter(20, 20);
  EXPECT_FALSE(late_.late());
}

TEST_F(LateRankTest, APauseOfOneRankIsNoLateness) {
  quarter(10, 10);
  quarter(4900, 10);
  for (int i = 0; i < 6; ++i) {
    quarter(10, 10);
    EXPECT_FALSE(late_.late());
  }
}

TEST_F(LateRankTest, RanksThatAreLateInTurnAreNotReported) {
  for (int i = 0; i < 8; ++i) {
    quarter(i % 2 ? 1000 : 100, i % 2 ? 100 : 1000);
    EXPECT_FALSE(late_.late());
  }
}

TEST_F(LateRankTest, ACheapDelayIsNotReported) {
  for (int i = 0; i < 8; ++i) {
    quarter(100, 0);
    EXPECT_FALSE(late_.late());
  }
}

TEST_F(LateRankTest, OnAStarvedMachineNothingIsReported) {
  for (int i = 0; i < 8; ++i) {
    quarter(1000, 0, i % 3 == 0);
    EXPECT_FALSE(late_.late());
  }
}

}  // namespace
}  // namespace traced
