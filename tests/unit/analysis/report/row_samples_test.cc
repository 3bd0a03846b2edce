#include "analysis/report/row_samples.h"

#include <gtest/gtest.h>

#include <random>

namespace traced {
namespace {

OperationSample took(std::uint64_t ns) {
  OperationSample sample;
  sample.host_ns = ns / 2;
  sample.completion_ns = ns;
  return sample;
}

// Calls of one size and of several sizes.
TEST(RowSamplesTest, BandwidthsAreTheMediansOverCalls) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (const std::size_t count : {1, 2, 3, 10, 101, 1000}) {
    const CallSize size{1000, 1.5};
    RowSamples alike;
    Weighted algbw_gbs;
    Samples times_ns;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t ns = random() % 50;
      times_ns.add(ns);
      alike.add(took(ns), alike.numberOf(size));
      if (ns > 0) algbw_gbs.emplace_back(1000 / static_cast<double>(ns), 1);
    }
    ReportRow row;
    std::move(alike).summarize(row);
    EXPECT_EQ(row.completion.p50_ns, std::move(times_ns).summarize().p50_ns);
    ASSERT_EQ(row.algbw_gbs.has_value(), !algbw_gbs.empty());
    if (algbw_gbs.empty()) continue;
    EXPECT_EQ(*row.algbw_gbs, medianOf(algbw_gbs));
    EXPECT_EQ(*row.busbw_gbs, *row.algbw_gbs * 1.5);
  }
}

TEST(RowSamplesTest, CallsOfSeveralSizesHaveOneMedian) {
  RowSamples samples;
  const std::size_t small = samples.numberOf({100, 1});
  const std::size_t large = samples.numberOf({1000, 2});
  EXPECT_EQ(samples.numberOf({100, 1}), small);
  samples.add(took(100), small);
  samples.add(took(100), large);
  samples.add(took(200), large);
  samples.add(took(100), samples.numberOf({0, -1}));
  ReportRow row;
  std::move(samples).summarize(row);
  EXPECT_EQ(row.completion.count, 4u);
  EXPECT_EQ(row.algbw_gbs, 5);
  EXPECT_EQ(row.busbw_gbs, 10);
}

TEST(RowSamplesTest, SeveralThreadsGiveTheSameResult) {
  RowSamples one, other;
  one.add(took(10), one.numberOf({100, 1}));
  other.add(took(30), other.numberOf({1000, 1}));
  other.add(took(20), other.numberOf({100, 1}));
  one.add(std::move(other));
  ReportRow row;
  std::move(one).summarize(row);
  EXPECT_EQ(row.completion.total_ns, 60u);
  EXPECT_EQ(row.completion.p50_ns, 20u);
  EXPECT_EQ(row.host.total_ns, 30u);
  EXPECT_EQ(row.algbw_gbs, 10);
}

TEST(RowSamplesTest, FirstCallsCountOnlyInSums) {
  RowSamples one, other;
  one.addFirst(took(1000), one.numberOf({100, 1}));
  other.addFirst(took(500), other.numberOf({100, 1}));
  other.add(took(20), other.numberOf({100, 1}));
  one.add(std::move(other));
  ReportRow row;
  std::move(one).summarize(row);
  EXPECT_EQ(row.left_out, 2u);
  EXPECT_EQ(row.completion.count, 3u);
  EXPECT_EQ(row.completion.total_ns, 1520u);
  EXPECT_EQ(row.completion.max_ns, 20u);
  EXPECT_EQ(row.host.total_ns, 760u);
  EXPECT_EQ(row.algbw_gbs, 5);
}

TEST(RowSamplesTest, ARowOfFirstCallsHasTheirPercentiles) {
  RowSamples samples;
  samples.addFirst(took(1000), samples.numberOf({100, 1}));
  ReportRow row;
  std::move(samples).summarize(row);
  EXPECT_EQ(row.left_out, 0u);
  EXPECT_EQ(row.completion.count, 1u);
  EXPECT_EQ(row.completion.max_ns, 1000u);
}

TEST(RowSamplesTest, WithoutAFactorOrTimeThereIsNoBandwidth) {
  for (const CallSize size : {CallSize{100, -1}, CallSize{0, 1}}) {
    RowSamples samples;
    samples.add(took(10), samples.numberOf(size));
    ReportRow row;
    std::move(samples).summarize(row);
    EXPECT_FALSE(row.algbw_gbs);
  }
  RowSamples at_once;
  at_once.add(took(0), at_once.numberOf({100, 1}));
  ReportRow row;
  std::move(at_once).summarize(row);
  EXPECT_FALSE(row.algbw_gbs);
  EXPECT_EQ(row.completion.count, 1u);
}

}  // namespace
}  // namespace traced
