#include "analysis/figures/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace traced {
namespace {

TEST(HistogramTest, SmallValuesAreExact) {
  Histogram histogram;
  for (std::uint64_t value = 1; value <= 100; ++value) histogram.add(value);
  EXPECT_EQ(histogram.percentile(50), 50u);
  EXPECT_EQ(histogram.percentile(99), 99u);
  EXPECT_EQ(histogram.percentile(100), 100u);
  EXPECT_EQ(histogram.count(), 100u);
}

TEST(HistogramTest, EveryValueIsReportedWithinFourTenthsOfAPercent) {
  for (std::uint64_t value = 1; value < std::uint64_t{1} << 62;
       value += value / 3 + 1) {
    Histogram histogram;
    histogram.add(value);
    EXPECT_NEAR(static_cast<double>(histogram.percentile(50)),
                static_cast<double>(value), 0.004 * static_cast<double>(value));
  }
  Histogram largest;
  largest.add(std::numeric_limits<std::uint64_t>::max());
  EXPECT_GT(largest.percentile(50), std::uint64_t{1} << 63);
}

// Most values are close together and stored in another way than the rest.
TEST(HistogramTest, ManyValuesAreRankedAsTheyAre) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  Histogram histogram, sum;
  std::vector<std::uint64_t> values;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t close = 50'000 + random() % 100'000;
    values.push_back(i % 10 == 0 ? random() >> random() % 64 : close);
    histogram.add(values.back());
  }
  sum.add(histogram);
  std::sort(values.begin(), values.end());
  for (unsigned percent = 1; percent < 100; ++percent) {
    const auto truth = static_cast<double>(values[200 * percent - 1]);
    EXPECT_NEAR(static_cast<double>(histogram.percentile(percent)), truth,
                0.004 * truth);
    EXPECT_EQ(sum.percentile(percent), histogram.percentile(percent));
  }
}

TEST(HistogramTest, TwoAreAddedBucketByBucket) {
  Histogram a, b;
  a.add(10);
  b.add(10);
  b.add(30);
  a.add(b);
  EXPECT_EQ(a.count(), 3u);
  EXPECT_EQ(a.percentile(50), 10u);
  EXPECT_EQ(a.percentile(99), 30u);
}

TEST(HistogramTest, NoPercentileIsBeyondWhatWasAdded) {
  Histogram most, least, sum;
  // Just below and just above the middle of their buckets.
  most.add(1'000'000);
  EXPECT_EQ(most.percentile(99), 1'000'000u);
  least.add((1u << 20) + 8191);
  EXPECT_EQ(least.percentile(1), (1u << 20) + 8191);
  sum.add(most);
  EXPECT_EQ(sum.percentile(99), 1'000'000u);
}

TEST(HistogramTest, WithoutValuesEverythingIsZero) {
  EXPECT_EQ(Histogram().percentile(50), 0u);
}

}  // namespace
}  // namespace traced
