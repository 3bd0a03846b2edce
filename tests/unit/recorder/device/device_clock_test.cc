// Tests that conversions from a device's clock to the host's stay within the
// stated error.

#include "recorder/device/device_clock.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace traced {
namespace {

constexpr std::int64_t kMs = 1'000'000;

TEST(DeviceClockTest, KnowsNothingWithoutAnAnchor) {
  const DeviceClock clock;
  EXPECT_FALSE(clock.at(5, 0));
  EXPECT_FALSE(clock.covers(5));
}

TEST(DeviceClockTest, InterpolatesBetweenAnchors) {
  DeviceClock clock;
  clock.add({0, 1'000, 10});
  clock.add({100 * kMs, 1'000 + 101 * kMs / 1, 10});  // 1 % is too much drift
  EXPECT_EQ(clock.at(99 * kMs, 0)->ns, 1'000 + 100 * kMs) << "only an offset";

  DeviceClock steady;
  steady.add({0, 1'000, 10});
  steady.add({100 * kMs, 1'000 + 100 * kMs + 10'000, 10});  // 100 ppm
  const auto middle = steady.at(50 * kMs, 0);
  EXPECT_EQ(middle->ns, 1'000 + 50 * kMs + 5'000);
  EXPECT_LE(middle->error_ns, 1'000);
  EXPECT_TRUE(steady.covers(100 * kMs));
  EXPECT_FALSE(steady.covers(100 * kMs + 1));
}

TEST(DeviceClockTest, ErrorsGrowWithTheDistanceBeyondTheLastAnchor) {
  DeviceClock clock;
  clock.add({0, 0, 3'000});
  clock.add({100 * kMs, 100 * kMs, 3'000});
  EXPECT_LT(clock.at(90 * kMs, 0)->error_ns, clock.at(150 * kMs, 0)->error_ns);
  EXPECT_LT(clock.at(150 * kMs, 0)->error_ns, clock.at(300 * kMs, 0)->error_ns);
}

// As while NCCL connects: one reading took 2 ms.
TEST(DeviceClockTest, OneBadReadingCostsTheInstantsAroundItLittle) {
  DeviceClock clock;
  clock.add({0, 500'000, 1'000'000});
  clock.add({100 * kMs, 100 * kMs, 3'000});
  EXPECT_LE(clock.at(20 * kMs, 0)->error_ns, 100'000) << "bad, then good";
  EXPECT_EQ(clock.at(100 * kMs, 0)->ns, 100 * kMs);
  clock.add({200 * kMs, 200 * kMs - 700'000, 1'000'000});
  EXPECT_LE(clock.at(180 * kMs, 0)->error_ns, 100'000) << "good, then bad";
  EXPECT_NEAR(clock.at(180 * kMs, 0)->ns, 180 * kMs, 100'000);
  clock.add({300 * kMs, 300 * kMs - 600'000, 1'000'000});
  EXPECT_GE(clock.at(280 * kMs, 0)->error_ns, 1'000'000) << "both bad";
}

TEST(DeviceClockTest, ErrorStaysWithinTheStatedBound) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  for (int round = 0; round < 300; ++round) {
    const auto drift = static_cast<double>(between(-200, 200)) / 1e6;
    const std::int64_t offset = between(-1'000'000 * kMs, 1'000'000 * kMs);
    const auto host_of = [&](std::int64_t device) {
      return offset + device +
             std::llround(static_cast<double>(device) * drift);
    };
    DeviceClock clock;
    std::int64_t device = 0;
    for (int i = 0; i < 4; ++i) {
      const bool went_badly = between(1, 4) == 1;
      const std::int64_t error = between(100, went_badly ? 1'000'000 : 20'000);
      clock.add({device, host_of(device) + between(-error, error), error});
      device += between(50 * kMs, 2'000 * kMs);
    }
    for (int i = 0; i < 20; ++i) {
      const std::int64_t at =
          clock.last()->device_ns + between(-50 * kMs, 300 * kMs);
      const auto converted = clock.at(at, 0);
      ASSERT_LE(std::abs(converted->ns - host_of(at)), converted->error_ns)
          << "round " << round << ", " << at - clock.last()->device_ns
          << " ns after the last anchor";
    }
  }
}

}  // namespace
}  // namespace traced
