// What is said of series that a test makes up; tests/compare does the same with
// whole runs.

#include "analysis/history/history_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace traced {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kStepNs = 3e7;

// A history of runs whose steps are alike, to which series are added.
class HistoryVerdictTest : public ::testing::Test {
 protected:
  void start(std::size_t runs) {
    for (std::size_t i = 0; i < runs; ++i) {
      HistoryRun run;
      run.world_size = 4;
      run.stepped = true;
      run.steps = "0-10";
      history_.runs.push_back(run);
    }
    history_.keys.emplace_back();
    set(history_.keys[0], RunPart::kStep, std::vector<double>(runs, kStepNs));
  }
  HistoryKey& key(const std::string& group) {
    HistoryKey& key = history_.keys.emplace_back();
    key.key = RunKey{"all_reduce", group, "bfloat16", "4-8 MiB"};
    const std::size_t runs = history_.runs.size();
    set(key, RunPart::kCalls, std::vector<double>(runs, 16));
    for (std::uint32_t i = 0; i < runs; ++i) {
      key.uncertain.runs.push_back(i);
      key.uncertain.values.push_back(0);
    }
    return key;
  }
  static void set(HistoryKey& key, RunPart part,
                  const std::vector<double>& values) {
    HistorySeries& series = key.parts[static_cast<std::size_t>(part)];
    series = {};
    for (std::uint32_t i = 0; i < values.size(); ++i) {
      series.runs.push_back(i);
      series.values.push_back(values[i]);
    }
  }
  // As many values around each level.
  std::vector<double> noisy(const std::vector<double>& levels,
                            const std::vector<std::size_t>& counts) {
    std::normal_distribution<double> noise(0, 0.01);
    std::vector<double> values;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      for (std::size_t j = 0; j < counts[i]; ++j) {
        values.push_back(levels[i] * (1 + noise(random_)));
      }
    }
    return values;
  }
  HistoryVerdict judge() { return judgeHistory(history_, limits_); }
  const JudgedSeries& seriesOf(const HistoryVerdict& verdict, std::size_t key,
                               RunPart part) {
    for (const JudgedSeries& judged : verdict.series) {
      if (judged.series.key == key && judged.series.part == part) {
        return judged;
      }
    }
    throw std::runtime_error("no such series");
  }

  History history_;
  HistoryLimits limits_;
  std::mt19937 random_{42};
};

TEST_F(HistoryVerdictTest, ALongerTransferIsARegression) {
  start(60);
  set(key("dp"), RunPart::kTransfer, noisy({4e6, 4.4e6}, {48, 12}));
  const HistoryVerdict verdict = judge();
  EXPECT_TRUE(verdict.hasRegression());
  const JudgedSeries& judged = seriesOf(verdict, 1, RunPart::kTransfer);
  EXPECT_EQ(judged.kind, ChangeKind::kWorse);
  EXPECT_EQ(judged.since, 48U);
  EXPECT_NEAR(judged.ratio(), 1.1, 0.01);
  EXPECT_EQ(verdict.tested, 1U);
  EXPECT_DOUBLE_EQ(verdict.max_p, 0.05 / 60);
}

TEST_F(HistoryVerdictTest, WithoutStepsNothingIsTooSmallToTell) {
  start(60);
  set(key("dp"), RunPart::kTransfer, noisy({4e6, 4.4e6}, {48, 12}));
  set(history_.keys[0], RunPart::kStep, {});
  EXPECT_TRUE(judge().hasRegression());
}

TEST_F(HistoryVerdictTest, OnlyWhatIsLessThanItsLeastShareIsSmall) {
  start(3);
  set(history_.keys[0], RunPart::kStep, {1024, 1024, 1024});
  set(history_.keys[0], RunPart::kTransfer, {255, 255, 255});
  set(history_.keys[0], RunPart::kExposed, {255, 255, 256});
  limits_.least_share = 0.25;
  for (const ReadySeries& series : makeReady(history_, limits_).series) {
    EXPECT_EQ(series.is_small, series.part == RunPart::kTransfer)
        << nameOf(series.part);
  }
}

TEST_F(HistoryVerdictTest, WhatIsOldIsNoNews) {
  start(100);
  set(key("dp"), RunPart::kTransfer, noisy({4e6, 4.4e6}, {50, 50}));
  EXPECT_FALSE(judge().hasRegression());
  EXPECT_THAT(judge().not_measured, IsEmpty());
  limits_.newest = 60;
  EXPECT_TRUE(judge().hasRegression());
}

TEST_F(HistoryVerdictTest, WhatIsBackIsNoRegression) {
  start(60);
  set(key("dp"), RunPart::kTransfer, noisy({4e6, 4.8e6, 4e6}, {38, 8, 14}));
  const HistoryVerdict verdict = judge();
  EXPECT_EQ(seriesOf(verdict, 1, RunPart::kTransfer).changes.size(), 2U);
  EXPECT_FALSE(verdict.hasRegression());
}

TEST_F(HistoryVerdictTest, OneRunThatWentWrongIsOpen) {
  start(40);
  std::vector<double> values = noisy({4e6}, {40});
  values.back() = 8e6;
  set(key("dp"), RunPart::kTransfer, values);
  const HistoryVerdict verdict = judge();
  EXPECT_FALSE(verdict.hasRegression());
  EXPECT_EQ(seriesOf(verdict, 1, RunPart::kTransfer).kind, ChangeKind::kOpen);
  EXPECT_THAT(verdict.not_measured,
              Contains(HasSubstr("without one of the latest runs")));
}

TEST_F(HistoryVerdictTest, OneRunThatWentWrongIsNoState) {
  start(60);
  std::vector<double> values = noisy({4e6}, {60});
  values[45] = 40e6;
  set(key("dp"), RunPart::kTransfer, values);
  const HistoryVerdict verdict = judge();
  EXPECT_EQ(seriesOf(verdict, 1, RunPart::kTransfer).kind, ChangeKind::kNone);
}

TEST_F(HistoryVerdictTest, OneRunThatWentWrongHidesNoChange) {
  start(60);
  std::vector<double> values = noisy({4e6, 5e6}, {45, 15});
  values[45] = 40e6;
  set(key("dp"), RunPart::kTransfer, values);
  const HistoryVerdict verdict = judge();
  const JudgedSeries& judged = seriesOf(verdict, 1, RunPart::kTransfer);
  EXPECT_EQ(judged.kind, ChangeKind::kWorse);
  EXPECT_NEAR(judged.ratio(), 1.25, 0.02);
}

TEST_F(HistoryVerdictTest, OneRunThatWentWellEndsNoRegression) {
  start(60);
  set(key("dp"), RunPart::kTransfer, noisy({4e6, 5e6, 4e6}, {45, 14, 1}));
  const HistoryVerdict verdict = judge();
  const JudgedSeries& judged = seriesOf(verdict, 1, RunPart::kTransfer);
  EXPECT_EQ(judged.changes.size(), 2U);
  EXPECT_EQ(judged.kind, ChangeKind::kWorse);
  EXPECT_EQ(judged.since, 45U);
}

TEST_F(HistoryVerdictTest, ARunBesideOneThatWentWrongIsOpen) {
  start(40);
  std::vector<double> values = noisy({4e6}, {38});
  values.insert(values.end(), {4.5e6, 4.06e6});
  set(key("dp"), RunPart::kTransfer, values);
  const HistoryVerdict verdict = judge();
  const JudgedSeries& judged = seriesOf(verdict, 1, RunPart::kTransfer);
  ASSERT_EQ(judged.changes.size(), 1U);
  EXPECT_EQ(judged.changes[0].runs_after, 2U);
  EXPECT_EQ(judged.kind, ChangeKind::kOpen);
}

TEST_F(HistoryVerdictTest, CountsAreToldFromTwoRunsOn) {
  start(40);
  std::vector<double> calls(40, 16);
  calls[39] = 20;
  set(key("dp"), RunPart::kCalls, calls);
  EXPECT_FALSE(judge().hasRegression());
  calls[38] = 20;
  set(history_.keys[1], RunPart::kCalls, calls);
  EXPECT_TRUE(judge().hasRegression());
}

TEST_F(HistoryVerdictTest, WhatTakesNoTimeIsNotTested) {
  start(40);
  // 4 calls of a rank in a step, of less than a thousandth of it together.
  set(key("dp"), RunPart::kTransfer, noisy({3000, 6000}, {30, 10}));
  const HistoryVerdict verdict = judge();
  EXPECT_TRUE(seriesOf(verdict, 1, RunPart::kTransfer).series.is_small);
  EXPECT_EQ(verdict.tested, 0U);
  EXPECT_FALSE(verdict.hasRegression());
}

TEST_F(HistoryVerdictTest, AWaitThatClocksLeaveOpenIsNoChange) {
  start(40);
  HistoryKey& waits = key("dp");
  set(waits, RunPart::kWaitForPeers, noisy({1e6, 1.2e6}, {30, 10}));
  EXPECT_TRUE(judge().hasRegression());
  waits.uncertain.values.assign(40, 3e5);
  EXPECT_FALSE(judge().hasRegression());
}

TEST_F(HistoryVerdictTest, RunsOfOtherSizesAreLeftOut) {
  start(60);
  set(key("dp"), RunPart::kTransfer, noisy({4e6, 4.4e6}, {40, 20}));
  for (std::size_t i = 0; i < 40; ++i) history_.runs[i].world_size = 8;
  const HistoryVerdict verdict = judge();
  EXPECT_EQ(verdict.runs.size(), 20U);
  EXPECT_FALSE(verdict.hasRegression());
  EXPECT_THAT(verdict.notes,
              ElementsAre("40 runs are left out: not of 4 ranks, steps 0-10 as "
                          "the latest run"));
}

TEST_F(HistoryVerdictTest, AChangeWithinTheFloorIsNoNews) {
  for (const double after : {3.92e6, 4.08e6}) {
    history_ = {};
    start(60);
    set(key("dp"), RunPart::kTransfer, noisy({4e6, after}, {45, 15}));
    limits_.floor = 0.05;
    EXPECT_FALSE(seriesOf(judge(), 1, RunPart::kTransfer).isNews()) << after;
    limits_.floor = 0.01;
    EXPECT_TRUE(seriesOf(judge(), 1, RunPart::kTransfer).isNews()) << after;
  }
}

TEST_F(HistoryVerdictTest, TooFewRunsAreNoMeasure) {
  start(3);
  set(key("dp"), RunPart::kTransfer, noisy({4e6}, {3}));
  EXPECT_THAT(judge().not_measured, ElementsAre(HasSubstr("too few runs: 3")));
}

TEST_F(HistoryVerdictTest, RunsThatScatterTooMuchAreNoMeasure) {
  start(60);
  std::vector<double> steps = noisy({kStepNs}, {60});
  for (double& step : steps) step = kStepNs + 8 * (step - kStepNs);
  set(history_.keys[0], RunPart::kStep, steps);
  EXPECT_THAT(judge().not_measured,
              ElementsAre(HasSubstr("and not be told from chance")));
  limits_.floor = 0.3;
  EXPECT_THAT(judge().not_measured, IsEmpty());
}

TEST_F(HistoryVerdictTest, KindsOfOperationComeAndGo) {
  start(40);
  HistoryKey& old = key("old");
  old.uncertain.runs.resize(35);
  HistoryKey& fresh = key("new");
  fresh.uncertain.runs.erase(fresh.uncertain.runs.begin(),
                             fresh.uncertain.runs.begin() + 35);
  HistoryKey& flaky = key("now and then");
  flaky.uncertain.runs = {35, 36, 38, 39};
  const HistoryVerdict verdict = judge();
  ASSERT_EQ(verdict.came_or_went.size(), 2U);
  EXPECT_EQ(verdict.came_or_went[0].key, 1U);
  EXPECT_TRUE(verdict.came_or_went[0].is_gone);
  EXPECT_EQ(verdict.came_or_went[0].run, 35U);
  EXPECT_EQ(verdict.came_or_went[1].key, 2U);
  EXPECT_FALSE(verdict.came_or_went[1].is_gone);
  EXPECT_TRUE(verdict.hasRegression());
}

TEST_F(HistoryVerdictTest, WhatFollowsIsToldAsThat) {
  start(60);
  HistoryKey& of = key("dp");
  set(of, RunPart::kTransfer, noisy({4e6, 4.8e6}, {45, 15}));
  set(of, RunPart::kExposed, noisy({2e6, 2.8e6}, {45, 15}));
  set(history_.keys[0], RunPart::kStep, noisy({3e7, 3.4e7}, {45, 15}));
  const HistoryVerdict verdict = judge();
  EXPECT_FALSE(seriesOf(verdict, 1, RunPart::kTransfer).follows);
  EXPECT_TRUE(seriesOf(verdict, 1, RunPart::kExposed).follows);
  EXPECT_TRUE(seriesOf(verdict, 0, RunPart::kStep).follows);
}

// Of less than alpha of histories in which nothing changes; of 40 with 20
// series each of 200 runs that is 2.
TEST_F(HistoryVerdictTest, ChanceIsSeldomToldAsAChange) {
  const std::uint32_t seed = std::random_device()();
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  random_.seed(seed);
  limits_.newest = 200;
  limits_.floor = 0.0;
  int told = 0;
  for (int i = 0; i < 40; ++i) {
    history_ = {};
    start(200);
    for (int k = 0; k < 20; ++k) {
      set(key("dp" + std::to_string(k)), RunPart::kTransfer,
          noisy({4e6}, {200}));
    }
    for (const JudgedSeries& judged : judge().series) {
      told += !judged.changes.empty();
    }
  }
  // 8 of 2: once in some thousand runs of this test.
  EXPECT_LE(told, 8);
}

}  // namespace
}  // namespace traced
