#include "base/tick_clock.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace traced {
namespace {

constexpr std::int64_t kPoll = 50'000'000;  // ns
constexpr double kTicksPerNs = 2.3;

// Returns a counter that starts at 1000 and advances by kTicksPerNs of true
// time.
std::uint64_t ticksAt(std::int64_t true_ns) {
  return 1000 +
         static_cast<std::uint64_t>(static_cast<double>(true_ns) * kTicksPerNs);
}

class TickClockTest : public ::testing::Test {
 protected:
  // Pairs the counter with `clock_ns`, the CLOCK_MONOTONIC reading at the true
  // time.
  void pairAt(std::int64_t true_ns, std::int64_t clock_ns) {
    clock_.discipline({ticksAt(true_ns), clock_ns});
  }
  std::int64_t errorAt(std::int64_t true_ns, std::int64_t clock_ns) {
    const auto converted = clock_.at(ticksAt(true_ns));
    EXPECT_TRUE(converted.has_value()) << true_ns;
    return converted ? *converted - clock_ns : 0;
  }

  TickClock clock_;
};

TEST_F(TickClockTest, HasNoAnswerBeforeItKnowsTheRate) {
  EXPECT_FALSE(clock_.at(1000));
  pairAt(0, 7);
  EXPECT_FALSE(clock_.at(1000));
}

TEST_F(TickClockTest, ReportsTheClockBetweenPairs) {
  for (int i = 0; i < 20; ++i) pairAt(i * kPoll, 7 + i * kPoll);
  for (int ms = 0; ms < 499; ++ms) {
    const std::int64_t now = 19 * kPoll + ms * 1'000'000;
    EXPECT_LE(std::abs(errorAt(now, 7 + now)), 10) << ms;
  }
}

TEST_F(TickClockTest, HasNoAnswerWhenTheLastPairIsOld) {
  for (int i = 0; i < 3; ++i) pairAt(i * kPoll, i * kPoll);
  EXPECT_FALSE(clock_.at(ticksAt(2 * kPoll + TickClock::kMaxAge + 10)));
}

TEST_F(TickClockTest, HasNoAnswerAfterTheCounterDecreased) {
  for (int i = 0; i < 3; ++i) pairAt(i * kPoll, i * kPoll);
  EXPECT_FALSE(clock_.at(ticksAt(2 * kPoll) - 1));
}

TEST_F(TickClockTest, FollowsAClockThatIsSlewedWithoutEverGoingBack) {
  // 20 ppm from the 10th pair on: 1 us per poll.
  const auto clock = [](std::int64_t ns) {
    const std::int64_t since = ns - 10 * kPoll;
    return ns + (since > 0 ? since / 50'000 : 0);
  };
  std::int64_t before = 0;
  for (int i = 0; i < 100; ++i) {
    pairAt(i * kPoll, clock(i * kPoll));
    if (i == 0) continue;
    for (int part = 0; part < 50; ++part) {
      const std::int64_t now = i * kPoll + part * 1'000'000;
      const auto converted = clock_.at(ticksAt(now));
      ASSERT_TRUE(converted.has_value());
      EXPECT_GE(*converted, before) << now;
      EXPECT_LE(std::abs(*converted - clock(now)), 1'500) << now;
      before = *converted;
    }
  }
  EXPECT_LE(std::abs(before - clock(99 * kPoll + 49'000'000)), 100);
}

TEST_F(TickClockTest, RestartsAfterAnError) {
  for (int i = 0; i < 5; ++i) pairAt(i * kPoll, i * kPoll);
  // The machine was suspended: only the counter advanced.
  const std::int64_t jump = 3'000'000'000;
  EXPECT_FALSE(clock_.at(ticksAt(5 * kPoll + jump)));
  // Or the clock was slewed hard, by 1 ms until the next pair.
  pairAt(5 * kPoll, 5 * kPoll + 1'000'000);
  EXPECT_FALSE(clock_.at(ticksAt(5 * kPoll)));
  pairAt(6 * kPoll, 6 * kPoll + 1'000'000);
  EXPECT_LE(std::abs(errorAt(6 * kPoll + 9, 6 * kPoll + 1'000'009)), 2);
}

TEST_F(TickClockTest, GivesUpOnACounterThatIsWrongAgainAndAgain) {
  std::int64_t clock = 0;
  for (int i = 0; i < 100; ++i) {
    // Consistent long enough to give an answer, then 10 us off.
    clock += kPoll + (i % 3 == 2 ? 10'000 : 0);
    pairAt(i * kPoll, clock);
  }
  for (int i = 100; i < 110; ++i) pairAt(i * kPoll, clock += kPoll);
  EXPECT_FALSE(clock_.at(ticksAt(109 * kPoll)));
}

TEST_F(TickClockTest, TakesNoRateFromPairsThatAreClose) {
  pairAt(0, 0);
  pairAt(1000, 1500);  // 50 % off: an interrupted, short interval
  EXPECT_FALSE(clock_.at(ticksAt(1000)));
  pairAt(kPoll, kPoll);
  EXPECT_LE(std::abs(errorAt(kPoll + 9, kPoll + 9)), 2);
}

}  // namespace
}  // namespace traced
