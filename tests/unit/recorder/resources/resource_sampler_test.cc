#include "recorder/resources/resource_sampler.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "recorder/resources/program_times.h"

namespace traced {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t processorNs() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return used.tv_sec * kSecond + used.tv_nsec;
}

TEST(ResourceSampler, IsDueWhenTheIntervalHasPassed) {
  ResourceSampler sampler(kSecond, 100);
  EXPECT_FALSE(sampler.isDue(99 + kSecond, false));
  ASSERT_TRUE(sampler.isDue(120 + kSecond, false));
  const ResourceRow first = sampler.sample(120 + kSecond, {});
  EXPECT_EQ(first.sample_ns, 120 + kSecond);
  EXPECT_EQ(first.interval_ns, 20U + kSecond);
  EXPECT_FALSE(sampler.isDue(110 + 2 * kSecond, false));
  // Far enough for any pause after a sample that took long.
  const std::int64_t much_later_ns = 120 + 4000 * kSecond;
  ASSERT_TRUE(sampler.isDue(much_later_ns, false));
  EXPECT_EQ(sampler.sample(much_later_ns, {}).interval_ns,
            std::uint64_t{3999 * kSecond});
}

TEST(ResourceSampler, TheLastSampleIsEarly) {
  const ResourceSampler sampler(kSecond, 100);
  EXPECT_FALSE(sampler.isDue(100 + kSecond / 10, true));
  EXPECT_TRUE(sampler.isDue(101 + kSecond / 10, true));
}

TEST(ResourceSampler, CountsProcessorTimeAsTheClockOfTheProcessDoes) {
  // The kernel rounds the two separately.
  constexpr std::int64_t kRounding = kSecond / 50;
  ResourceSampler sampler(1, 0);
  const std::int64_t before = processorNs();
  while (processorNs() - before < kSecond / 5) {
  }
  const ResourceRow sample = sampler.sample(nowNs(), {});
  const std::int64_t used = processorNs() - before;
  EXPECT_GE(static_cast<std::int64_t>(sample.cpu_ns), kSecond / 5 - kRounding);
  EXPECT_LE(static_cast<std::int64_t>(sample.cpu_ns), used + kRounding);
}

TEST(ResourceSampler, HasTheTimesOfTheProgramSinceTheLastSample) {
  ResourceSampler before_any(kSecond, 0);
  EXPECT_EQ(before_any.sample(kSecond, {}).collecting_ns_plus_1, 0u);
  collection_time.start();
  loading_time.start();
  ResourceSampler sampler(kSecond, 0);
  // Times are multiples of 16 us.
  constexpr std::int64_t kStep = 1 << 14;
  collection_time.begin(100);
  collection_time.end(100 + 3 * kStep + 5);
  loading_time.begin(kSecond - 7 * kStep);
  const ResourceRow first = sampler.sample(kSecond, {});
  EXPECT_EQ(first.collections, 1u);
  EXPECT_EQ(first.collecting_ns_plus_1, std::uint64_t{3 * kStep + 1});
  // A call that has not ended counts up to the sample.
  EXPECT_EQ(first.batches, 0u);
  EXPECT_EQ(first.loading_ns_plus_1, std::uint64_t{7 * kStep + 1});
  loading_time.end(kSecond + 2 * kStep);
  const ResourceRow second = sampler.sample(2 * kSecond, {});
  EXPECT_EQ(second.collections, 0u);
  EXPECT_EQ(second.collecting_ns_plus_1, 1u);
  EXPECT_EQ(second.batches, 1u);
  EXPECT_EQ(second.loading_ns_plus_1, std::uint64_t{2 * kStep + 1});
}

}  // namespace
}  // namespace traced
