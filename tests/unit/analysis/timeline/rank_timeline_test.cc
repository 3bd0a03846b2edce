// Tests the contents and the limits of a rank's timeline.

#include "analysis/timeline/rank_timeline.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/job_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced::testing {
namespace {

class RankTimelineTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kMs = RankBuilder::kMs;

  RankTimelineTest() : job_(1) { rank_.addCall(v1::OPERATION_ALL_REDUCE, 1); }

  RankTimeline draw() {
    writeFile(dir_.path() + "/rank", rank_.write(Ending::kClosed));
    const auto set = openTraceSet({dir_.path()});
    EXPECT_TRUE(set);
    const JobView view(*set, overviewOf(*set), {});
    const auto cells = cellsByStream(view);
    EXPECT_EQ(cells.size(), 1u);
    return timelineOf(view, 0, cells.at(0));
  }

  TempDir dir_;
  JobBuilder job_;
  RankBuilder& rank_ = job_.rank(0);
};

TEST_F(RankTimelineTest, OperationsAndWaitsAreWhereTheyWere) {
  rank_.endLater(1, 20, 25, 5);
  rank_.end(1, 10, 4);
  const RankTimeline line = draw();
  ASSERT_EQ(line.operations.size(), 2u);
  const OperationSlice& first = line.operations[0];
  const OperationSlice& second = line.operations[1];
  EXPECT_EQ(first.how, SpanEnd::kEnded);
  EXPECT_EQ(first.end_ns - first.begin_ns, 4 * kMs);
  EXPECT_EQ(second.begin_ns - first.begin_ns, 10 * kMs);
  EXPECT_EQ(second.end_ns - second.begin_ns, 10 * kMs);
  ASSERT_EQ(line.waits.size(), 2u);
  EXPECT_EQ(line.waits[1].begin_ns - second.begin_ns, 5 * kMs + 20'000);
  EXPECT_EQ(line.waits[1].end_ns, second.end_ns);
  EXPECT_EQ(line.waits[1].name.find("wait all_reduce"), 0u);
  EXPECT_EQ(line.unshowable, 0u);
}

TEST_F(RankTimelineTest, TheLastUnendedOperationsOfAGroupStayOpen) {
  for (int i = 0; i < 20; ++i) rank_.hang(1, i);
  const RankTimeline line = draw();
  ASSERT_EQ(line.operations.size(), 20u);
  for (std::size_t i = 0; i < line.operations.size(); ++i) {
    EXPECT_EQ(line.operations[i].open(), i >= 4) << i;
    EXPECT_EQ(line.operations[i].how,
              i < 4 ? SpanEnd::kNotSeen : SpanEnd::kOpen)
        << i;
  }
}

TEST_F(RankTimelineTest, AStepIsThereWhereSomethingOfItIs) {
  rank_.beginStep(7, 0);
  rank_.end(1, 5);
  rank_.beginStep(8, 10);
  rank_.beginStep(9, 20);
  rank_.end(1, 25);
  const RankTimeline line = draw();
  ASSERT_EQ(line.steps.size(), 2u);
  EXPECT_EQ(line.steps[0].name, "step 7");
  EXPECT_EQ(line.steps[0].end_ns - line.steps[0].begin_ns, 10 * kMs);
  EXPECT_EQ(line.steps[1].number, 9u);
}

TEST_F(RankTimelineTest, ConsecutiveCallsOfAModuleAreOneSlice) {
  v1::Context& context = rank_.stream().addContext();
  context.set_model("Net");
  context.set_module("layers.3");
  context.set_phase(v1::PHASE_BACKWARD);
  rank_.setContext(context.id());
  rank_.end(1, 10);
  rank_.end(1, 20);
  rank_.setContext(0);
  rank_.end(1, 30);
  const RankTimeline line = draw();
  ASSERT_EQ(line.modules.size(), 1u);
  EXPECT_EQ(line.modules[0].name, "Net.layers.3");
  EXPECT_EQ(line.modules[0].end_ns - line.modules[0].begin_ns,
            10 * kMs + 10'000);
  ASSERT_EQ(line.phases.size(), 1u);
  EXPECT_EQ(line.phases[0].name, "backward");
}

}  // namespace
}  // namespace traced::testing
