// Tests ranks that each reduce the same gradients among themselves.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "unit/analysis/diagnosis/gradients/training_rank.h"

namespace traced::testing {
namespace {

using ::testing::HasSubstr;

// A job of `world` ranks whose gradients are reduced in groups of `size`. Each
// test changes one value.
struct Islands {
  std::uint32_t world = 3;
  std::uint32_t size = 1;
  int steps = kSteps;
  bool has_metric = true;
  bool in_backward = true;
  // How a rank differs: bytes of its gradients, and what it does in step 5.
  std::function<std::uint64_t(std::uint32_t)> bytes = [](std::uint32_t) {
    return kGradientBytes;
  };
  std::function<void(RankBuilder&, TrainingRank&, std::uint32_t)> in_step_5 =
      nullptr;
  std::function<void(RankBuilder&, std::uint32_t group)> before = nullptr;

  JobBuilder write() const {
    JobBuilder job(world);
    for (std::uint32_t r = 0; r < world; ++r) writeRank(job.rank(r), r);
    return job;
  }

 private:
  void writeRank(RankBuilder& rank, std::uint32_t r) const {
    const std::uint32_t group =
        addMeshGroup(rank, "shard", r / size * size, size);
    addMeshGroup(rank, "replicate", 0, world);
    const std::uint32_t gradients = addSum(rank, group, bytes(r));
    const std::uint32_t loss = addSum(rank, 1, kLossBytes);
    if (before) before(rank, group);
    TrainingRank training(rank);
    rank.callAt(12);
    for (int step = 0; step < steps; ++step) {
      for (int bucket = 0; bucket < 2; ++bucket) {
        if (in_backward) {
          training.callInBackward(gradients);
        } else {
          training.call(gradients);
        }
      }
      if (step == 5 && in_step_5) in_step_5(rank, training, r);
      if (has_metric) training.call(loss);
    }
  }
};

TEST(IslandsTest, RanksThatReduceAloneAreLikely) {
  JobBuilder job = Islands().write();
  const Diagnosis diagnosis = diagnoseJob(job);
  expectVerdict(diagnosis, VerdictKind::kUnsynchronisedGradients, {});
  expectConfidence(diagnosis, Confidence::kLikely, Confidence::kUndecided);
  EXPECT_EQ(diagnosis.verdicts[0].ranks, (Ranks{0, 1, 2}));
  EXPECT_EQ(summaryAt(diagnosis, 0),
            "Ranks 0-2 never exchange gradients: each reduces its own alone.");
  const std::string text = textOf(diagnosis);
  EXPECT_THAT(text,
              HasSubstr("Rank 0 reduces 8 KiB in 2 calls in each of 10 "
                        "cycles, first by all_reduce (4 KiB float32, sum) on "
                        "\"shard\" (1 member) at /job/train.py:12 in main."));
  EXPECT_THAT(text, HasSubstr("each cycle ends with all_reduce (4 B float32, "
                              "sum) on \"dp\" (3 members) at "
                              "/job/train.py:12 in main."));
  EXPECT_THAT(text, HasSubstr("\"replicate\" (3 members) connects them, and "
                              "carried no gradients."));
}

TEST(IslandsTest, SetsThatReduceAmongThemselvesAreLikely) {
  JobBuilder job = Islands{.world = 4, .size = 2}.write();
  const Diagnosis diagnosis = diagnoseJob(job);
  expectVerdict(diagnosis, VerdictKind::kUnsynchronisedGradients, {});
  EXPECT_EQ(summaryAt(diagnosis, 0),
            "Ranks 0-1 and ranks 2-3 never exchange gradients: each set "
            "reduces them only among itself.");
}

TEST(IslandsTest, OneSetHasNoFinding) {
  JobBuilder job = Islands{.world = 4, .size = 4}.write();
  expectHealthy(diagnoseJob(job));
}

// Nothing shows that these sums are gradients.
TEST(IslandsTest, SumsOutsideOfBackwardHaveNoFinding) {
  JobBuilder job = Islands{.in_backward = false}.write();
  expectHealthy(diagnoseJob(job));
}

// Without phases, as by default on a GPU.
TEST(IslandsTest, AnAutogradThreadShowsThatTheyAreGradients) {
  JobBuilder job(3);
  for (std::uint32_t r = 0; r < 3; ++r) {
    RankBuilder& rank = job.rank(r);
    v1::Thread& thread = *rank.stream().payload().add_thread();
    thread.set_id(1);
    thread.set_name("pt_autograd_0");
    const std::uint32_t gradients =
        addSum(rank, addMeshGroup(rank, "shard", r, 1), kGradientBytes);
    const std::uint32_t loss = addSum(rank, 1, kLossBytes);
    TrainingRank training(rank);
    for (int step = 0; step < kSteps; ++step) {
      rank.callInThread(1);
      training.call(gradients);
      rank.callInThread(0);
      training.call(loss);
    }
  }
  EXPECT_TRUE(hasUnsynchronised(diagnoseJob(job)));
}

// Without phases, as by default on a CPU.
TEST(IslandsTest, TheSetUpOfDdpShowsThatTheyAreGradients) {
  Islands islands{.in_backward = false};
  islands.before = [](RankBuilder& rank, std::uint32_t group) {
    v1::Call& counts = rank.addCall(v1::OPERATION_ALL_GATHER, group, 8, 8);
    counts.mutable_input(0)->set_dtype(v1::DTYPE_INT64);
    *counts.add_output() = counts.input(0);
    v1::Call& shapes = rank.addCall(v1::OPERATION_BROADCAST, group, 64);
    shapes.mutable_input(0)->set_dtype(v1::DTYPE_INT64);
    v1::Call& parameters =
        rank.addCall(v1::OPERATION_BROADCAST, group, kGradientBytes);
    for (const std::uint32_t call :
         {counts.id(), shapes.id(), parameters.id()}) {
      rank.end(call, 1);
    }
  };
  JobBuilder job = islands.write();
  EXPECT_TRUE(hasUnsynchronised(diagnoseJob(job)));
}

TEST(IslandsTest, FewCyclesHaveNoFinding) {
  JobBuilder job = Islands{.steps = 7}.write();
  expectHealthy(diagnoseJob(job));
}

// Independent jobs in one world share nothing.
TEST(IslandsTest, RanksWithoutASharedMetricHaveNoFinding) {
  JobBuilder job = Islands{.has_metric = false}.write();
  expectHealthy(diagnoseJob(job));
}

TEST(IslandsTest, DifferentModelsHaveNoFinding) {
  Islands islands;
  islands.bytes = [](std::uint32_t rank) { return 4096 + 4 * rank; };
  JobBuilder job = islands.write();
  expectHealthy(diagnoseJob(job));
}

// LocalSGD averages parameters now and then.
TEST(IslandsTest, DataThatCrossesOnceHasNoFinding) {
  Islands islands;
  islands.in_step_5 = [](RankBuilder& rank, TrainingRank& training,
                         std::uint32_t) {
    training.call(addSum(rank, 1, kGradientBytes));
  };
  JobBuilder job = islands.write();
  expectHealthy(diagnoseJob(job));
}

TEST(IslandsTest, ABroadcastDuringTrainingHasNoFinding) {
  Islands islands;
  islands.in_step_5 = [](RankBuilder& rank, TrainingRank& training,
                         std::uint32_t) {
    training.call(
        rank.addCall(v1::OPERATION_BROADCAST, 1, kGradientBytes).id());
  };
  JobBuilder job = islands.write();
  expectHealthy(diagnoseJob(job));
}

// Tiny adapters.
TEST(IslandsTest, ASmallReductionInBackwardHasNoFinding) {
  Islands islands;
  islands.in_step_5 = [](RankBuilder& rank, TrainingRank& training,
                         std::uint32_t) {
    training.callInBackward(addSum(rank, 1, 64));
  };
  JobBuilder job = islands.write();
  expectHealthy(diagnoseJob(job));
}

// Stages of a pipeline may be equal.
TEST(IslandsTest, AMessageHasNoFinding) {
  Islands islands{.world = 2};
  islands.in_step_5 = [](RankBuilder& rank, TrainingRank& training,
                         std::uint32_t r) {
    training.call(rank.addMessage(r == 0, 1, 1 - r).id());
  };
  JobBuilder job = islands.write();
  expectHealthy(diagnoseJob(job));
}

TEST(IslandsTest, InitialParametersDoNotCount) {
  Islands islands;
  islands.before = [](RankBuilder& rank, std::uint32_t) {
    rank.end(rank.addCall(v1::OPERATION_BROADCAST, 1, kGradientBytes).id(), 1);
  };
  JobBuilder job = islands.write();
  EXPECT_TRUE(hasUnsynchronised(diagnoseJob(job)));
}

// all_gather_object of metrics.
TEST(IslandsTest, ObjectsDoNotCount) {
  Islands islands;
  islands.in_step_5 = [](RankBuilder& rank, TrainingRank& training,
                         std::uint32_t) {
    v1::Context& context = rank.stream().addContext();
    context.set_parent("all_gather_object");
    v1::Call& call = rank.addCall(v1::OPERATION_ALL_GATHER, 1, 1024, 3 * 1024);
    call.mutable_input(0)->set_dtype(v1::DTYPE_UINT8);
    *call.add_output() = call.input(0);
    rank.setContext(context.id());
    training.call(call.id());
    rank.setContext(0);
  };
  JobBuilder job = islands.write();
  EXPECT_TRUE(hasUnsynchronised(diagnoseJob(job)));
}

TEST(IslandsTest, IncompleteTracesHaveNoFinding) {
  JobBuilder absent = Islands().write();
  EXPECT_FALSE(hasUnsynchronised(
      diagnoseJob(absent, Ending::kClosed, std::set<std::uint32_t>{2})));
  JobBuilder dropped = Islands().write();
  dropped.rank(1).stream().drop(v1::DROP_REASON_RING_FULL, 1);
  EXPECT_FALSE(hasUnsynchronised(diagnoseJob(dropped)));
  JobBuilder deleted = Islands().write();
  deleted.rank(1).stream().drop(v1::DROP_REASON_RETENTION, 1);
  EXPECT_FALSE(hasUnsynchronised(diagnoseJob(deleted)));
  JobBuilder paused = Islands().write();
  paused.rank(1).enable(false, 1000);
  paused.rank(1).enable(true, 1001);
  EXPECT_FALSE(hasUnsynchronised(diagnoseJob(paused)));
}

TEST(IslandsTest, OneRankHasNoFinding) {
  JobBuilder job = Islands{.world = 1}.write();
  expectHealthy(diagnoseJob(job));
}

TEST(IslandsTest, AGraphHasNoFinding) {
  Islands islands;
  islands.before = [](RankBuilder& rank, std::uint32_t) {
    rank.addCall(v1::OPERATION_ALL_REDUCE, 1).set_graph_plus_1(1);
  };
  JobBuilder job = islands.write();
  expectHealthy(diagnoseJob(job));
}

}  // namespace
}  // namespace traced::testing
