#include "analysis/figures/samples.h"

#include <gtest/gtest.h>

#include <random>

namespace traced {
namespace {

Samples samplesOf(const std::vector<std::uint64_t>& times_ns) {
  Samples samples;
  for (const std::uint64_t ns : times_ns) samples.add(ns);
  return samples;
}

TEST(SamplesTest, PercentilesAreByNearestRank) {
  Samples samples;
  for (std::uint64_t ns = 200; ns >= 1; --ns) samples.add(ns);
  const TimeSummary summary = std::move(samples).summarize();
  EXPECT_EQ(summary.count, 200u);
  EXPECT_EQ(summary.total_ns, 20'100u);
  EXPECT_EQ(summary.mean_ns, 100.5);
  EXPECT_EQ(summary.p50_ns, 100u);
  EXPECT_EQ(summary.p99_ns, 198u);
  EXPECT_EQ(summary.max_ns, 200u);
}

TEST(SamplesTest, OneSampleIsEveryPercentile) {
  const TimeSummary summary = samplesOf({7}).summarize();
  EXPECT_EQ(summary.p50_ns, 7u);
  EXPECT_EQ(summary.p99_ns, 7u);
  EXPECT_EQ(summary.max_ns, 7u);
}

TEST(SamplesTest, ThreeSamplesHaveTheMiddleAsMedian) {
  EXPECT_EQ(samplesOf({30, 10, 20}).summarize().p50_ns, 20u);
  Weighted values = {{2.5, 1}, {0.5, 1}};
  EXPECT_EQ(medianOf(values), 0.5);
  values = {{2.5, 3}, {0.5, 2}};
  EXPECT_EQ(medianOf(values), 2.5);
}

TEST(SamplesTest, NoSampleHasNoCount) {
  EXPECT_EQ(Samples().summarize().count, 0u);
}

// Beyond kMaxExact only the histogram remains. It does not depend on the parts
// added, their sizes or their order.
TEST(SamplesTest, ManySamplesAreRoundedAlikeHoweverTheyAreAdded) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> times_ns(Samples::kMaxExact + 1);
  for (std::uint64_t& ns : times_ns) ns = random() % 1'000'000'000;
  Samples exact = samplesOf({times_ns.begin() + 1, times_ns.end()});
  EXPECT_FALSE(exact.isRounded());
  const TimeSummary expected = std::move(exact).summarize();

  const auto cut = times_ns.begin() +
                   static_cast<std::ptrdiff_t>(random() % Samples::kMaxExact);
  Samples in_parts = samplesOf({cut, times_ns.end()});
  in_parts.add(samplesOf({times_ns.begin(), cut}));
  std::uint64_t count = 0;
  in_parts.each([&](std::uint64_t, std::uint64_t times) { count += times; });
  EXPECT_EQ(count, times_ns.size());
  EXPECT_TRUE(in_parts.isRounded());
  const TimeSummary parts = std::move(in_parts).summarize();
  const TimeSummary at_once = samplesOf(times_ns).summarize();
  EXPECT_EQ(parts.total_ns, at_once.total_ns);
  EXPECT_EQ(parts.p50_ns, at_once.p50_ns);
  EXPECT_EQ(parts.p99_ns, at_once.p99_ns);
  EXPECT_EQ(parts.max_ns, at_once.max_ns);
  EXPECT_EQ(at_once.count, expected.count + 1);
  EXPECT_EQ(at_once.total_ns, expected.total_ns + times_ns.front());
  EXPECT_NEAR(static_cast<double>(at_once.p99_ns),
              static_cast<double>(expected.p99_ns),
              0.005 * static_cast<double>(expected.p99_ns));
}

}  // namespace
}  // namespace traced
