#include "recorder/resource_sampler.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/clock.h"

namespace traced {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t processorNs() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return used.tv_sec * kSecond + used.tv_nsec;
}

TEST(ResourceSampler, SamplesWhenTheIntervalHasPassed) {
  ResourceSampler sampler(kSecond, 100);
  EXPECT_FALSE(sampler.sample(99 + kSecond, false));
  const auto first = sampler.sample(120 + kSecond, false);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->sample_ns, 120 + kSecond);
  EXPECT_EQ(first->interval_ns, 20U + kSecond);
  EXPECT_FALSE(sampler.sample(110 + 2 * kSecond, false));
  const auto second = sampler.sample(120 + 2 * kSecond, false);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->interval_ns, std::uint64_t{kSecond});
}

TEST(ResourceSampler, TheLastSampleIsEarly) {
  ResourceSampler sampler(kSecond, 100);
  const auto last = sampler.sample(150, true);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->interval_ns, 50U);
  EXPECT_FALSE(sampler.sample(150, true));
}

TEST(ResourceSampler, NoIntervalMeansNoSample) {
  ResourceSampler sampler(0, 100);
  EXPECT_FALSE(sampler.sample(100 + kSecond, false));
  EXPECT_FALSE(sampler.sample(100 + kSecond, true));
}

TEST(ResourceSampler, CountsProcessorTimeAsTheClockOfTheProcessDoes) {
  // The kernel rounds the two separately.
  constexpr std::int64_t kRounding = kSecond / 50;
  ResourceSampler sampler(1, 0);
  const std::int64_t before = processorNs();
  while (processorNs() - before < kSecond / 5) {
  }
  const auto sample = sampler.sample(nowNs(), false);
  const std::int64_t used = processorNs() - before;
  ASSERT_TRUE(sample);
  EXPECT_GE(static_cast<std::int64_t>(sample->cpu_ns), kSecond / 5 - kRounding);
  EXPECT_LE(static_cast<std::int64_t>(sample->cpu_ns), used + kRounding);
}

}  // namespace
}  // namespace traced
