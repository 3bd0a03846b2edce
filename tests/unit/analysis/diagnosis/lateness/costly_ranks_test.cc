// Tests ranks whose extra computing only a replay of the run shows.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "unit/analysis/diagnosis/diagnosed.h"

namespace traced::testing {
namespace {

using ExtraMs = std::function<std::int64_t(std::uint32_t rank, int step)>;

// In each step, four ranks compute for 50 ms, and some longer. Then they reduce
// for 2 ms.
Diagnosis runSteps(const ExtraMs& extra_ms, int steps = 60) {
  JobBuilder job(4);
  std::int64_t at_ms = 0;
  for (int step = 0; step < steps; ++step) {
    std::int64_t most_ms = 0;
    for (std::uint32_t rank = 0; rank < job.size(); ++rank) {
      most_ms = std::max(most_ms, extra_ms(rank, step));
    }
    for (std::uint32_t r = 0; r < job.size(); ++r) {
      RankBuilder& rank = job.rank(r);
      if (step == 0) rank.addCall(v1::OPERATION_ALL_REDUCE, 1);
      rank.beginStep(static_cast<std::uint64_t>(step), at_ms);
      const std::int64_t own_ms = 50 + extra_ms(r, step);
      rank.end(1, at_ms + own_ms, 50 + most_ms - own_ms + 2);
    }
    at_ms += 50 + most_ms + 2;
  }
  return diagnoseJob(job);
}

void expectLine(const Diagnosis& diagnosis, const char* line) {
  EXPECT_NE(textOf(diagnosis).find(line), std::string::npos)
      << textOf(diagnosis);
}

TEST(CostlyRanksTest, RarePausesOfOneRankAreCounted) {
  const Diagnosis diagnosis = runSteps([](std::uint32_t rank, int step) {
    const bool pauses = rank == 1 && (step == 17 || step == 40 || step == 55);
    return pauses ? 300 : (step + static_cast<int>(rank)) % 2;
  });
  expectVerdict(diagnosis, VerdictKind::kStraggler, {1});
  expectConfidence(diagnosis, Confidence::kLikely, Confidence::kLikely);
  expectLine(diagnosis, "Rank 1 computed longer than the others.");
  expectLine(diagnosis, "(median) in 3 of 60 steps: 17, 40, 55.");
  ASSERT_TRUE(diagnosis.verdicts[0].saves);
  EXPECT_NEAR(diagnosis.verdicts[0].saves->part, 900.0 / 4030, 0.01);
}

TEST(CostlyRanksTest, TwoPausesAreNoStraggler) {
  expectHealthy(runSteps([](std::uint32_t rank, int step) {
    return rank == 1 && (step == 17 || step == 40) ? 300 : 0;
  }));
}

TEST(CostlyRanksTest, RanksThatTakeTurnsAreNamedTogether) {
  const Diagnosis two = runSteps([](std::uint32_t rank, int step) {
    return rank == 1 + static_cast<std::uint32_t>(step) % 2 ? 10 : 0;
  });
  expectVerdict(two, VerdictKind::kStraggler, {1, 2});
  expectLine(two, "Ranks 1-2 computed longer than the others, mostly in turn.");
  const Diagnosis all = runSteps([](std::uint32_t rank, int step) {
    return rank == static_cast<std::uint32_t>(step) % 4 ? 10 : 0;
  });
  expectVerdict(all, VerdictKind::kStraggler, {0, 1, 2, 3});
  expectLine(all,
             "Rank 3 took 10 ms longer than its peers (median) in 15 of "
             "60 steps, from step 3 to step 59.");
}

TEST(CostlyRanksTest, AWarmUpIsOver) {
  expectHealthy(runSteps([](std::uint32_t rank, int step) {
    return rank == 1 && step < 3 ? 300 : (step + static_cast<int>(rank)) % 2;
  }));
}

TEST(CostlyRanksTest, ChanceIsNoStraggler) {
  expectHealthy(runSteps([](std::uint32_t rank, int step) {
    const std::uint32_t hash =
        (rank * 2654435761U) ^ (static_cast<std::uint32_t>(step) * 40503U);
    return static_cast<std::int64_t>((hash * 2246822519U) >> 28);
  }));
}

TEST(CostlyRanksTest, FewStepsShowNothing) {
  expectHealthy(runSteps(
      [](std::uint32_t rank, int step) {
        return rank == 1 + static_cast<std::uint32_t>(step) % 2 ? 50 : 0;
      },
      11));
}

}  // namespace
}  // namespace traced::testing
