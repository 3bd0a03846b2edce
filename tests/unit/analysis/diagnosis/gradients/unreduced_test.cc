// Tests groups that gather parameters and never reduce gradients.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "unit/analysis/diagnosis/gradients/training_rank.h"

namespace traced::testing {
namespace {

using ::testing::HasSubstr;

struct Unreduced {
  int steps = 40;
  bool counts_optimizer_steps = true;
  bool gathers = false;
  // Called once, in step 5.
  std::function<void(RankBuilder&, TrainingRank&)> in_step_5 = nullptr;

  JobBuilder write() const {
    JobBuilder job(2);
    for (std::uint32_t r = 0; r < 2; ++r) writeRank(job.rank(r));
    return job;
  }

 private:
  void writeRank(RankBuilder& rank) const {
    if (counts_optimizer_steps) {
      (*rank.stream().header().mutable_settings())["TRACED_AUTO_STEP"] = "1";
    }
    v1::Call& parameters =
        rank.addCall(v1::OPERATION_ALL_GATHER_INTO_TENSOR, 1, 1024, 2 * 1024);
    *parameters.add_output() = parameters.input(0);
    const std::uint32_t gather = parameters.id();
    const std::uint32_t loss = addSum(rank, 1, kLossBytes);
    rank.callAt(12);
    TrainingRank training(rank);
    for (int step = 0; step < steps; ++step) {
      training.beginStep(static_cast<std::uint64_t>(step));
      if (gathers) training.call(gather);
      if (gathers) training.callInBackward(gather);
      if (step == 5 && in_step_5) in_step_5(rank, training);
      training.call(loss);
    }
  }
};

void reduceOnce(RankBuilder& rank, TrainingRank& training) {
  training.callInBackward(addSum(rank, 1, 64));
}

TEST(UnreducedTest, ParametersGatheredWithoutReductionAreLikely) {
  JobBuilder job = Unreduced{.gathers = true}.write();
  const Diagnosis diagnosis = diagnoseJob(job);
  expectVerdict(diagnosis, VerdictKind::kUnsynchronisedGradients, {});
  expectConfidence(diagnosis, Confidence::kLikely, Confidence::kUndecided);
  EXPECT_EQ(summaryAt(diagnosis, 0),
            "Ranks 0-1 gather parameters on \"dp\" in backward, and never "
            "reduce gradients.");
  EXPECT_THAT(textOf(diagnosis),
              HasSubstr("Rank 0 gathers 2 KiB in 1 call in the backward of "
                        "each of 40 steps, first by all_gather_into_tensor"));
}

// The program may mark batches of an evaluation, or micro-batches.
TEST(UnreducedTest, StepsOfTheProgramHaveNoFinding) {
  JobBuilder gathers =
      Unreduced{.counts_optimizer_steps = false, .gathers = true}.write();
  expectHealthy(diagnoseJob(gathers));
}

TEST(UnreducedTest, FewStepsHaveNoFinding) {
  JobBuilder gathers = Unreduced{.steps = 31, .gathers = true}.write();
  expectHealthy(diagnoseJob(gathers));
}

TEST(UnreducedTest, OneReductionHasNoFinding) {
  JobBuilder gathers =
      Unreduced{.gathers = true, .in_step_5 = reduceOnce}.write();
  expectHealthy(diagnoseJob(gathers));
}

// A model that only evaluates is not gathered in backward.
TEST(UnreducedTest, NothingGatheredInBackwardHasNoFinding) {
  JobBuilder job = Unreduced().write();
  expectHealthy(diagnoseJob(job));
}

}  // namespace
}  // namespace traced::testing
