#include "analysis/figures/samples.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace traced {
namespace {

TEST(SamplesTest, PercentilesAreByNearestRank) {
  std::vector<std::uint64_t> samples;
  for (std::uint64_t ns = 200; ns >= 1; --ns) samples.push_back(ns);
  const TimeSummary summary = summarize(samples);
  EXPECT_EQ(summary.count, 200u);
  EXPECT_EQ(summary.total_ns, 20'100u);
  EXPECT_EQ(summary.mean_ns, 100.5);
  EXPECT_EQ(summary.p50_ns, 100u);
  EXPECT_EQ(summary.p99_ns, 198u);
  EXPECT_EQ(summary.max_ns, 200u);
}

TEST(SamplesTest, OneSampleIsEveryPercentile) {
  std::vector<std::uint64_t> samples = {7};
  const TimeSummary summary = summarize(samples);
  EXPECT_EQ(summary.p50_ns, 7u);
  EXPECT_EQ(summary.p99_ns, 7u);
  EXPECT_EQ(summary.max_ns, 7u);
}

TEST(SamplesTest, ThreeSamplesHaveTheMiddleAsMedian) {
  std::vector<std::uint64_t> samples = {30, 10, 20};
  EXPECT_EQ(summarize(samples).p50_ns, 20u);
  std::vector<double> values = {2.5, 0.5};
  EXPECT_EQ(medianOf(values), 0.5);
}

TEST(SamplesTest, NoSampleHasNoCount) {
  std::vector<std::uint64_t> none;
  EXPECT_EQ(summarize(none).count, 0u);
}

}  // namespace
}  // namespace traced
