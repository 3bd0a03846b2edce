#include "analysis/whatif/whatif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/whatif/build_replay_job.h"
#include "analysis/whatif/peer_gaps.h"
#include "analysis/whatif/pipeline.h"
#include "analysis/whatif/prediction.h"
#include "support/job_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced::whatif {
namespace {

using ::testing::ElementsAre;
using testing::Ending;
using ::testing::IsEmpty;
using testing::JobBuilder;
using testing::RankBuilder;

constexpr double kNear = 0.005;

class WhatIfTest : public ::testing::Test {
 protected:
  ReplayJob read(JobBuilder& job) {
    for (std::uint32_t rank = 0; rank < job.size(); ++rank) {
      testing::writeFile(
          dir_.path() + "/rank-" + std::to_string(rank) + ".traced",
          job.rank(rank).write(Ending::kClosed));
    }
    const auto set = openTraceSet({dir_.path()});
    EXPECT_TRUE(set);
    RunSummary summary;
    std::uint64_t outside = 0;
    return buildReplayJob(*set, {}, summary, outside);
  }

  static const Answer* find(const WhatIf& result, Question question,
                            std::uint32_t number = 0) {
    const auto found = std::find_if(
        result.answers.begin(), result.answers.end(), [&](const Answer& each) {
          return each.question == question && each.number == number;
        });
    return found == result.answers.end() ? nullptr : &*found;
  }

  const testing::TempDir dir_;
};

// In each of 12 steps, ranks compute 10 ms, and late ones 20 ms. Then they
// reduce for 1 ms.
JobBuilder lateJob(std::uint32_t ranks = 3,
                   const std::vector<std::uint32_t>& late = {1}) {
  JobBuilder job(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    RankBuilder& builder = job.rank(rank);
    const std::uint32_t call =
        builder.addCall(v1::OPERATION_ALL_REDUCE, 1).id();
    for (std::int64_t step = 0; step < 12; ++step) {
      const std::int64_t at_ms = 21 * step;
      builder.beginStep(static_cast<std::uint64_t>(step), at_ms);
      if (std::find(late.begin(), late.end(), rank) != late.end()) {
        builder.end(call, at_ms + 20, 1);
      } else {
        builder.end(call, at_ms + 10, 11);
      }
    }
  }
  return job;
}

TEST_F(WhatIfTest, TellsWhatALateRankCosts) {
  JobBuilder builder = lateJob();
  const WhatIf result = whatIf(read(builder), {});
  ASSERT_FALSE(result.refusal);
  EXPECT_EQ(result.path.steps, 12U);
  EXPECT_NEAR(result.measured_ns, 12 * 21e6, 1e4);
  EXPECT_LT(replayError(result), 0.001);
  const Answer* late = find(result, Question::kRank, 1);
  ASSERT_TRUE(late);
  EXPECT_NEAR(late->saves.value, 1 - 11.0 / 21, kNear);
  EXPECT_LE(late->saves.low, late->saves.value);
  EXPECT_GE(late->saves.high, late->saves.value);
  const Answer* other = find(result, Question::kRank, 0);
  ASSERT_TRUE(other);
  EXPECT_LE(other->saves.value, 0);
}

TEST_F(WhatIfTest, OfTwoSlowRanksOneAloneSavesNothing) {
  JobBuilder builder = lateJob(5, {1, 3});
  const WhatIf result = whatIf(read(builder), {});
  const Answer* together = find(result, Question::kRanks);
  ASSERT_TRUE(together);
  EXPECT_THAT(together->ranks, ElementsAre(1U, 3U));
  EXPECT_NEAR(together->saves.value, 1 - 11.0 / 21, kNear);
  const Answer* alone = find(result, Question::kRank, 3);
  ASSERT_TRUE(alone);
  EXPECT_NEAR(alone->saves.value, 0, kNear);
}

TEST_F(WhatIfTest, RanksAndSetsOfThemAreAskedAlone) {
  JobBuilder builder = lateJob(5, {1, 3});
  WhatIfOptions options;
  options.only_ranks_above = 0.01;
  options.sets = {{1}, {0, 9}};
  const WhatIf result = whatIf(read(builder), options);
  std::vector<std::vector<std::uint32_t>> asked;
  for (const Answer& answer : result.answers) {
    if (answer.question == Question::kRanks) asked.push_back(answer.ranks);
  }
  EXPECT_THAT(asked, ElementsAre(ElementsAre(1U, 3U), ElementsAre(1U)));
  EXPECT_FALSE(find(result, Question::kNetwork));
}

TEST_F(WhatIfTest, BalanceGivesEveryRankTheMean) {
  JobBuilder builder = lateJob();
  const WhatIf result = whatIf(read(builder), {});
  const Answer* balance = find(result, Question::kBalance);
  ASSERT_TRUE(balance);
  const double ideal_ms = 40.0 / 3 + 1;
  EXPECT_NEAR(balance->saves.value, 1 - ideal_ms / 21, kNear);
  ASSERT_TRUE(result.slowdown);
  EXPECT_NEAR(result.slowdown->value, 21 / ideal_ms, 2 * kNear);
}

TEST_F(WhatIfTest, AFasterNetworkShortensTransfersAlone) {
  JobBuilder builder = lateJob();
  WhatIfOptions options;
  options.network = 4;
  const WhatIf result = whatIf(read(builder), options);
  const Answer* network = find(result, Question::kNetwork);
  ASSERT_TRUE(network);
  EXPECT_NEAR(network->saves.value, 0.75 / 21, kNear);
}

TEST_F(WhatIfTest, TheCriticalPathIsTheLateRank) {
  JobBuilder builder = lateJob();
  const CriticalPath path = criticalPath(read(builder));
  EXPECT_NEAR(path.step_ns, 21e6, 1e4);
  ASSERT_FALSE(path.parts.empty());
  EXPECT_EQ(path.parts[0].what, PathPart::What::kComputing);
  EXPECT_EQ(path.parts[0].rank, 1U);
  EXPECT_NEAR(path.parts[0].ns, 20e6, 1e5);
}

TEST_F(WhatIfTest, TwoStepsBoundNothing) {
  JobBuilder builder(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    RankBuilder& each = builder.rank(rank);
    const std::uint32_t call = each.addCall(v1::OPERATION_ALL_REDUCE, 1).id();
    each.beginStep(0, 0);
    each.end(call, rank == 1 ? 20 : 10, rank == 1 ? 1 : 11);
  }
  const WhatIf result = whatIf(read(builder), {});
  const Answer* late = find(result, Question::kRank, 1);
  ASSERT_TRUE(late);
  // One peer in one step is not enough to know what is usual.
  EXPECT_NEAR(late->saves.low, 0, kNear);
  EXPECT_NEAR(late->saves.high, 1 - 11.0 / 21, 2 * kNear);
}

TEST_F(WhatIfTest, FindsAPipelineOfTwoLines) {
  JobBuilder builder(4);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    RankBuilder& each = builder.rank(rank);
    const bool first = rank % 2 == 0;
    const std::uint32_t peer = first ? rank + 1 : rank - 1;
    const std::uint32_t send = each.addMessage(true, 1, peer).id();
    const std::uint32_t receive = each.addMessage(false, 1, peer).id();
    each.end(first ? send : receive, 10);
    each.end(first ? receive : send, 20);
  }
  const Pipeline pipeline = findPipeline(read(builder));
  EXPECT_EQ(pipeline.stages, 2U);
  EXPECT_THAT(pipeline.stage_of, ElementsAre(0, 1, 0, 1));
}

TEST_F(WhatIfTest, ARingIsNoPipeline) {
  JobBuilder builder(3);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    RankBuilder& each = builder.rank(rank);
    const std::uint32_t send = each.addMessage(true, 1, (rank + 1) % 3).id();
    const std::uint32_t receive =
        each.addMessage(false, 1, (rank + 2) % 3).id();
    each.end(send, 10);
    each.end(receive, 20);
  }
  EXPECT_THAT(findPipeline(read(builder)).stage_of, IsEmpty());
}

TEST_F(WhatIfTest, OneRankCannotBeCompared) {
  JobBuilder builder(1);
  builder.rank(0).end(builder.rank(0).addCall(v1::OPERATION_ALL_REDUCE, 1).id(),
                      10);
  EXPECT_EQ(whatIf(read(builder), {}).refusal, Refusal::kOneRank);
}

// Like lateJob(), over NCCL. The host runs ahead of the device.
JobBuilder deviceJob(bool timed) {
  constexpr std::int64_t kMs = RankBuilder::kMs;
  JobBuilder job(3);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    RankBuilder& builder = job.rank(rank);
    builder.stream().payload().mutable_group(0)->set_backend("nccl");
    v1::Call& call = builder.addCall(v1::OPERATION_ALL_REDUCE, 1);
    call.set_device(v1::DEVICE_TYPE_CUDA);
    for (std::uint64_t step = 0; step < 12; ++step) {
      const auto at_ms = static_cast<std::int64_t>(21 * step);
      builder.beginStep(step, at_ms);
      const std::uint64_t id = builder.hang(call.id(), at_ms);
      const std::int64_t took_ms = rank == 1 ? 1 : 11;
      const auto took_ns = static_cast<std::uint64_t>(took_ms * kMs);
      if (!timed) continue;
      builder.stream().add(DoneRow{.op = id,
                                   .end_ns = RankBuilder::ns(at_ms + 21),
                                   .source = v1::END_SOURCE_DEVICE_EVENT,
                                   .engine_ns_plus_1 = took_ns + 1});
      builder.stream().add(WaitRow{.op = id,
                                   .wait_begin_ns = RankBuilder::ns(at_ms),
                                   .wait_ns = 1'000,
                                   .stall_ns_plus_1 = took_ns + 1});
    }
  }
  return job;
}

TEST_F(WhatIfTest, ADeviceIsReplayedByItsOwnTimes) {
  JobBuilder builder = deviceJob(true);
  const WhatIf result = whatIf(read(builder), {});
  ASSERT_FALSE(result.refusal);
  EXPECT_LT(replayError(result), 0.001);
  const Answer* late = find(result, Question::kRank, 1);
  ASSERT_TRUE(late);
  EXPECT_NEAR(late->saves.value, 1 - 11.0 / 21, 0.05);
}

TEST_F(WhatIfTest, ADeviceWithoutTimesIsRefused) {
  JobBuilder builder = deviceJob(false);
  EXPECT_EQ(whatIf(read(builder), {}).refusal, Refusal::kUntimed);
}

TEST_F(WhatIfTest, ClocksThatNothingAlignsAreRefused) {
  JobBuilder builder(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    RankBuilder& each = builder.rank(rank);
    each.stream().header().set_boot_id("boot-" + std::to_string(rank));
    each.stream().header().set_host("node-" + std::to_string(rank));
    each.end(each.addMessage(true, 1, 1 - rank).id(), 10);
  }
  EXPECT_EQ(whatIf(read(builder), {}).refusal, Refusal::kClocks);
}

TEST_F(WhatIfTest, AHangCoversTheTimeBefore) {
  JobBuilder builder(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    RankBuilder& each = builder.rank(rank);
    const std::uint32_t call = each.addCall(v1::OPERATION_ALL_REDUCE, 1).id();
    each.end(call, 10, 2);
    if (rank == 0) each.hang(call, 20);
  }
  const WhatIf result = whatIf(read(builder), {});
  EXPECT_FALSE(result.refusal);
  EXPECT_EQ(result.doubts.unfinished, 1U);
  EXPECT_THAT(result.doubts.unfinished_ranks, ElementsAre(0));
}

TEST(MedianWithout, LeavesOutOnePosition) {
  EXPECT_FLOAT_EQ(medianWithout({1, 2, 10}, 2), 1.5);
  EXPECT_FLOAT_EQ(medianWithout({1, 2, 10, 20}, 0), 10);
  EXPECT_FLOAT_EQ(medianWithout({1, 9}, 0), 9);
}

TEST(Prediction, NeedsEightValues) {
  EXPECT_FALSE(predictNext({1, 2, 3, 4, 5, 6, 7}, {1, 1, 1, 1, 1, 1, 1}));
  const auto interval = predictNext({10, 10, 10, 10, 10, 10, 10, 10, 12},
                                    {1, 1, 1, 1, 1, 1, 1, 1, 1});
  ASSERT_TRUE(interval);
  EXPECT_LT(interval->low, 8);
  EXPECT_GT(interval->high, 12);
}

TEST(Prediction, ApproachesTheNormalDistribution) {
  EXPECT_NEAR(studentQuantile(5), 6.869, 0.001);
  EXPECT_NEAR(studentQuantile(20), 3.850, 0.005);
  EXPECT_NEAR(studentQuantile(100'000), 3.2905, 0.001);
}

}  // namespace
}  // namespace traced::whatif
