#include "recorder/resources/blocked_time.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

constexpr std::int64_t kMs = 1'000'000;

TEST(BlockedTime, CountsTheTimeSinceTheLookBefore) {
  BlockedTime blocked(0);
  blocked.observe(50 * kMs, 'D', true);
  blocked.observe(90 * kMs, 'D', false);
  blocked.observe(140 * kMs, 'S', std::nullopt);
  blocked.observe(190 * kMs, 'R', std::nullopt);
  const BlockedTime::Times times = blocked.take();
  EXPECT_EQ(times.in_calls_ns, std::uint64_t{50 * kMs});
  EXPECT_EQ(times.in_faults_ns, std::uint64_t{40 * kMs});
  EXPECT_EQ(times.known_ns, std::uint64_t{190 * kMs});
  EXPECT_EQ(blocked.take().known_ns, 0u);
}

TEST(BlockedTime, CountsNoMoreThanTheLongestPauseBetweenLooks) {
  BlockedTime blocked(0);
  blocked.observe(5'000 * kMs, 'D', true);
  blocked.observe(4'000 * kMs, 'D', true);  // the clock went backwards
  const BlockedTime::Times times = blocked.take();
  EXPECT_EQ(times.in_calls_ns, std::uint64_t{BlockedTime::kMostNs});
  EXPECT_EQ(times.known_ns, std::uint64_t{BlockedTime::kMostNs});
}

TEST(BlockedTime, KnowsNothingWithoutAStateOrACall) {
  BlockedTime blocked(0);
  blocked.observe(50 * kMs, '\0', std::nullopt);
  blocked.observe(90 * kMs, 'D', std::nullopt);
  EXPECT_EQ(blocked.take().known_ns, 0u);
}

TEST(BlockedTime, SeesThisThread) {
  BlockedTime blocked(0);
  blocked.observe(50 * kMs);  // the main thread runs
  const BlockedTime::Times times = blocked.take();
  EXPECT_EQ(times.known_ns, std::uint64_t{50 * kMs});
  EXPECT_EQ(times.in_calls_ns + times.in_faults_ns, 0u);
}

}  // namespace
}  // namespace traced
