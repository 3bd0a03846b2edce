#include "analysis/budget/usage.h"

#include <gtest/gtest.h>

#include "analysis/reading/stream_loader.h"
#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced {
namespace {

using testing::StreamBuilder;

constexpr std::int64_t kFirstUseNs = StreamBuilder::kStartNs + 1'000'000;

class UsageTest : public ::testing::Test {
 protected:
  UsageTest() : stream_(0, 1) {
    stream_.addGroup("dp", 0, 1);
    stream_.addGroup("dp", 0, 1).set_nth(1);
    stream_.addCall(v1::OPERATION_ALL_REDUCE, 1, 100, 100);
    stream_.addCall(v1::OPERATION_ALL_REDUCE, 2, 40, 60);
  }

  RankUsage usage() {
    testing::writeFile(dir_.path() + "/rank", stream_.takeChunk(true));
    const auto set = openTraceSet({dir_.path()});
    EXPECT_TRUE(set);
    return RankUsage(StreamLoader(*set).load(set->streams[0]));
  }

  testing::TempDir dir_;
  StreamBuilder stream_;
};

TEST_F(UsageTest, GroupsThatAreCalledAlikeAreOne) {
  stream_.addOperation(1, kFirstUseNs, 1, 1, 10);
  stream_.addOperation(2, kFirstUseNs, 2, 1, 10);
  const RankUsage rank = usage();
  ASSERT_EQ(rank.entries().size(), 1u);
  EXPECT_EQ(rank.entries()[0].key, (UsageKey{"dp", "all_reduce", "float32"}));
  ASSERT_EQ(rank.entries()[0].steps.size(), 1u);
  EXPECT_EQ(rank.entries()[0].steps[0].usage, (Usage{2, 160}));
}

TEST_F(UsageTest, IsReportedStepByStepWhateverTheOrderOfTheRows) {
  stream_.addStep(2, kFirstUseNs, 7);
  stream_.addStep(4, kFirstUseNs, 8);
  for (const std::uint64_t id : {5, 1, 3, 6}) {
    stream_.addOperation(id, kFirstUseNs, 1, id, 10);
  }
  const RankUsage rank = usage();
  const std::vector<StepUsage>& steps = rank.entries()[0].steps;
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(rank.numberOf(steps[0]), std::nullopt);
  EXPECT_EQ(rank.numberOf(steps[1]), 7u);
  EXPECT_EQ(rank.numberOf(steps[2]), 8u);
  EXPECT_EQ(steps[2].usage, (Usage{2, 200}));
  EXPECT_EQ(rank.stepsIn(StepRange(8, 9)), 1u);
}

TEST_F(UsageTest, SimulatedCallsAreNoUse) {
  stream_.addCall(v1::OPERATION_BROADCAST, 1, 8, 8).set_simulated(true);
  stream_.addOperation(1, kFirstUseNs, 3, 1, 10);
  EXPECT_TRUE(usage().entries().empty());
}

TEST_F(UsageTest, MissingGroupAndTensorAreNamed) {
  v1::Call& call = stream_.addCall(v1::OPERATION_SPLIT, 0, 0, 0);
  call.clear_input();
  stream_.addOperation(1, kFirstUseNs, 3, 0, 10);
  stream_.add(IssueRow{.op = 2, .issue_ns = kFirstUseNs, .call = 99});
  const RankUsage rank = usage();
  ASSERT_EQ(rank.entries().size(), 2u);
  EXPECT_EQ(rank.entries()[0].key, (UsageKey{"none", "split", "none"}));
  EXPECT_EQ(rank.entries()[1].key, (UsageKey{"none", "unknown", "none"}));
}

}  // namespace
}  // namespace traced
