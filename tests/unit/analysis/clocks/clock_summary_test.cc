#include "analysis/clocks/clock_summary.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

// Adds a rank on a host of its own. Its clock is known to `within_ns`.
void addRank(TraceSet& set, AlignedClocks& clocks, std::uint32_t rank,
             std::uint64_t within_ns) {
  set.selected.push_back(set.streams.size());
  v1::Header& header = set.streams.emplace_back().header;
  header.set_rank(rank);
  header.set_boot_id("boot " + std::to_string(rank));
  v1::ClockModel& clock = clocks.models.emplace_back();
  clock.set_source(v1::CLOCK_SOURCE_COLLECTIVES);
  v1::ClockKnot& knot = *clock.add_knot();
  knot.set_below_ns(within_ns);
  knot.set_above_ns(within_ns / 2);
}

using Pair = std::pair<std::uint32_t, std::uint32_t>;

TEST(ClockSummaryTest, TheTwoClocksThatAreKnownWorstAreTheWorstPair) {
  TraceSet set;
  AlignedClocks clocks;
  addRank(set, clocks, 0, 10);
  EXPECT_FALSE(summarizeClocks(set, clocks).certified) << "one is no pair";
  addRank(set, clocks, 1, 400);
  addRank(set, clocks, 2, 30);
  addRank(set, clocks, 3, 900);
  const ClockSummary summary = summarizeClocks(set, clocks);
  EXPECT_EQ(summary.clocks, 4u);
  EXPECT_EQ(summary.aligned, 4u);
  ASSERT_TRUE(summary.certified);
  EXPECT_EQ(summary.certified->worst_pair, Pair(1, 3));
  EXPECT_EQ(summary.certified->within_ns, 1'300u);
}

TEST(ClockSummaryTest, NamesTheFirstOfEquallyKnownRanks) {
  TraceSet set;
  AlignedClocks clocks;
  for (const std::uint32_t rank : {2, 1, 0}) addRank(set, clocks, rank, 10);
  EXPECT_EQ(summarizeClocks(set, clocks).certified->worst_pair, Pair(0, 1));
}

}  // namespace
}  // namespace traced
