// Tests comparisons of runs with made-up figures.

#include "analysis/compare/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "phrasing/compare_text.h"

namespace traced {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kMs = 1e6;
const RunKey kGradients{"all_reduce", "dp", "float32", "4-8 MiB"};

// One run: a step of 100 ms with 8 calls of gradients a rank.
struct SyntheticRun {
  double step_ms = 100;
  double own_us = 200;
  double wait_ms = 1;
  double transfer_ms = 5;
  double exposed_ms = 2;
  double calls = 32;
  double ahead_ms = 4;
  double in_flight_mib = 8;
  double caused_by_1_ms = 1;
  double computed_by_1_ms = 10;
  RunKey key = kGradients;
};

class ComparisonTest : public ::testing::Test {
 protected:
  double scattered(double value) {
    return value * std::exp(scatter_ * noise_(random_));
  }

  RunFigures run(const SyntheticRun& made) {
    RunFigures figures;
    figures.name = "run" + std::to_string(++runs_);
    figures.stream_ids = {runs_};
    figures.world_size = 4;
    figures.stepped = true;
    figures.steps = "0-49";
    KeyFigures& key = figures.keys[made.key];
    const auto set = [](PartValues& values, RunPart part, double value) {
      values[static_cast<std::size_t>(part)] = value;
    };
    set(key.values, RunPart::kCalls, made.calls);
    set(key.values, RunPart::kBytes, made.calls * (4 << 20));
    set(key.values, RunPart::kOwnCall, scattered(made.own_us * 1000));
    set(key.values, RunPart::kWaitForPeers, scattered(made.wait_ms * kMs));
    set(key.values, RunPart::kTransfer, scattered(made.transfer_ms * kMs));
    set(key.values, RunPart::kExposed, scattered(made.exposed_ms * kMs));
    key.ahead_ns = made.ahead_ms * kMs;
    key.caused_ns = {{0, kMs}, {1, made.caused_by_1_ms * kMs}};
    key.computed_ns = {{0, 10 * kMs}, {1, made.computed_by_1_ms * kMs}};
    set(figures.total, RunPart::kStep, scattered(made.step_ms * kMs));
    set(figures.total, RunPart::kCalls, made.calls);
    set(figures.total, RunPart::kInFlight, scattered(made.in_flight_mib));
    return figures;
  }

  std::vector<RunFigures> side(const SyntheticRun& made, int count = 9) {
    std::vector<RunFigures> runs;
    for (int i = 0; i < count; ++i) runs.push_back(run(made));
    return runs;
  }

  Comparison compared(const SyntheticRun& fresh, int count = 9) {
    return compareRuns(side({}, count), side(fresh, count), {}, settings_);
  }

  const Change& change(const Comparison& comparison, RunPart part,
                       bool total = false) {
    for (const ComparedKey& key : comparison.keys) {
      if (key.key.has_value() == total) continue;
      for (const Change& each : key.changes) {
        if (each.part == part) return each;
      }
    }
    ADD_FAILURE() << "no " << nameOf(part);
    static const Change kNone;
    return kNone;
  }

  CompareSettings settings_{{}, true};
  double scatter_ = 0.01;
  std::mt19937 random_{3};
  std::normal_distribution<double> noise_;
  std::uint64_t runs_ = 0;
};

TEST_F(ComparisonTest, TheSameProgramHasNoFindings) {
  for (int i = 0; i < 20; ++i) {
    const Comparison same = compared({});
    EXPECT_FALSE(same.hasFindings());
    EXPECT_THAT(same.not_measured, IsEmpty());
  }
}

TEST_F(ComparisonTest, ASlowerTransferIsThatAndWaitsFollow) {
  SyntheticRun slow;
  slow.transfer_ms *= 1.1;
  slow.exposed_ms *= 1.25;
  slow.step_ms *= 1.05;
  const Comparison comparison = compared(slow);
  EXPECT_TRUE(comparison.hasFindings());
  const Change& transfer = change(comparison, RunPart::kTransfer);
  EXPECT_EQ(transfer.kind, ChangeKind::kWorse);
  EXPECT_FALSE(transfer.follows);
  EXPECT_NEAR(transfer.ratio(), 1.1, 0.02);
  EXPECT_LE(*transfer.p, 0.05);
  EXPECT_THAT(causeText(change(comparison, RunPart::kExposed).follows),
              HasSubstr("transfer of all_reduce 4-8 MiB float32 on dp"));
  const Change& step = change(comparison, RunPart::kStep, true);
  EXPECT_EQ(step.kind, ChangeKind::kWorse);
  EXPECT_THAT(causeText(step.follows), HasSubstr("transfer of all_reduce"));
  EXPECT_EQ(change(comparison, RunPart::kOwnCall).kind, ChangeKind::kNone);
}

TEST(ChangeTest, TheUnseenPartOfAStepWidensTheInterval) {
  Change change;
  change.share = 0.5;
  change.log_ratio.high = std::log(1.1);
  change.log_ratio.low = -std::log(1.1);
  EXPECT_NEAR(change.undetectedStepPart(), 0.05, 1e-12);
}

TEST_F(ComparisonTest, AChangeBelowTheFloorIsNotReported) {
  SyntheticRun slow;
  slow.transfer_ms *= 1.02;
  scatter_ = 0.002;
  const Comparison comparison = compared(slow);
  const Change& transfer = change(comparison, RunPart::kTransfer);
  EXPECT_LE(*transfer.p, 0.05);
  EXPECT_EQ(transfer.kind, ChangeKind::kNone);
  EXPECT_FALSE(comparison.hasFindings());
}

TEST_F(ComparisonTest, AWaitIsCausedByTheRankThatOthersWaitForLonger) {
  SyntheticRun slow;
  slow.wait_ms *= 2;
  slow.caused_by_1_ms = 5;
  const Comparison comparison = compared(slow);
  const Change& wait = change(comparison, RunPart::kWaitForPeers);
  EXPECT_EQ(wait.kind, ChangeKind::kWorse);
  EXPECT_EQ(wait.culprit, 1U);
}

TEST_F(ComparisonTest, AWaitThatBeginsSoonerIsLostOverlap) {
  SyntheticRun sooner;
  sooner.exposed_ms = 6;
  sooner.ahead_ms = 0;
  const Comparison comparison = compared(sooner);
  const Change& exposed = change(comparison, RunPart::kExposed);
  EXPECT_EQ(exposed.kind, ChangeKind::kWorse);
  EXPECT_FALSE(exposed.follows);
  ASSERT_TRUE(exposed.sooner);
  EXPECT_EQ(exposed.sooner->before_ns, 4 * kMs);
}

// Seen with DDP: buckets that are all reduced at the end share the network.
TEST_F(ComparisonTest,
       LostOverlapExplainsLongerTransfersThatItWouldHaveHidden) {
  SyntheticRun base;
  base.ahead_ms = 20;
  SyntheticRun late = base;
  late.ahead_ms = 0.1;
  late.exposed_ms = 12;
  late.transfer_ms = 12;
  late.in_flight_mib = 20;
  late.step_ms = 110;
  const auto compare = [&] {
    return compareRuns(side(base), side(late), {}, settings_);
  };
  const Comparison comparison = compare();
  EXPECT_TRUE(change(comparison, RunPart::kExposed).sooner);
  EXPECT_FALSE(change(comparison, RunPart::kExposed).follows);
  for (const bool total : {false, true}) {
    const RunPart part = total ? RunPart::kStep : RunPart::kTransfer;
    EXPECT_THAT(causeText(change(comparison, part, total).follows),
                HasSubstr("exposed wait of all_reduce"));
  }
  // As long as it is now, the transfer would not have been hidden.
  base.ahead_ms = 12;
  EXPECT_THAT(causeText(change(compare(), RunPart::kExposed).follows),
              HasSubstr("transfer of all_reduce"));
}

// Seen with real ranks: they leave a collective at different times than before.
TEST_F(ComparisonTest, LostOverlapIsNotExplainedByALittleMoreLateness) {
  SyntheticRun sooner;
  sooner.exposed_ms = 6;
  sooner.ahead_ms = 0;
  sooner.wait_ms *= 1.3;
  sooner.caused_by_1_ms = 2;
  const Comparison comparison = compared(sooner);
  const Change& exposed = change(comparison, RunPart::kExposed);
  EXPECT_FALSE(exposed.follows);
  EXPECT_TRUE(exposed.sooner);
  const Change& wait = change(comparison, RunPart::kWaitForPeers);
  EXPECT_EQ(wait.kind, ChangeKind::kWorse);
  EXPECT_THAT(causeText(wait.follows), HasSubstr("exposed wait of all_reduce"));
}

TEST_F(ComparisonTest, ALateRankThatComputesNoLongerWasLetGoLater) {
  SyntheticRun slow;
  slow.transfer_ms *= 1.2;
  slow.wait_ms *= 1.3;
  slow.caused_by_1_ms = 2;
  const Comparison let_go = compared(slow);
  EXPECT_THAT(causeText(change(let_go, RunPart::kWaitForPeers).follows),
              HasSubstr("transfer of all_reduce"));
  slow.computed_by_1_ms = 11;
  const Comparison computes = compared(slow);
  EXPECT_FALSE(change(computes, RunPart::kWaitForPeers).follows);
  EXPECT_FALSE(change(computes, RunPart::kTransfer).follows);
}

// Seen with real ranks on a quiet machine.
TEST_F(ComparisonTest, HowLongARankComputesMayVaryTooMuchToReport) {
  SyntheticRun slow;
  slow.transfer_ms *= 1.2;
  slow.wait_ms *= 1.3;
  slow.caused_by_1_ms = 2;
  std::vector<RunFigures> base = side({}), fresh = side(slow);
  const double computed_ms[] = {10, 12, 9, 11.5, 10, 12, 8.5, 10.5, 11};
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    fresh[i].keys[kGradients].computed_ns[1] = computed_ms[i] * kMs;
  }
  const Comparison comparison = compareRuns(base, fresh, {}, settings_);
  const Change& wait = change(comparison, RunPart::kWaitForPeers);
  EXPECT_FALSE(wait.follows);
  EXPECT_THAT(causeText(wait.perhaps_follows),
              HasSubstr("transfer of all_reduce"));
}

TEST_F(ComparisonTest, ARankMayBeLateByAnotherKindOfOperation) {
  RunKey other = kGradients;
  other.op = "all_gather";
  SyntheticRun slow;
  slow.wait_ms *= 1.3;
  slow.caused_by_1_ms = 2;
  const auto withOther = [&](std::vector<RunFigures> runs, double transfer_ms) {
    for (RunFigures& run : runs) {
      run.keys[other] = run.keys[kGradients];
      auto& values = run.keys[other].values;
      values[static_cast<std::size_t>(RunPart::kTransfer)] =
          scattered(transfer_ms * kMs);
      values[static_cast<std::size_t>(RunPart::kWaitForPeers)] =
          scattered(SyntheticRun().wait_ms * kMs);
    }
    return runs;
  };
  const Comparison comparison = compareRuns(
      withOther(side({}), 10), withOther(side(slow), 13), {}, settings_);
  bool seen = false;
  for (const ComparedKey& key : comparison.keys) {
    if (key.key != kGradients) continue;
    for (const Change& each : key.changes) {
      if (each.part != RunPart::kWaitForPeers) continue;
      EXPECT_THAT(causeText(each.follows), HasSubstr("transfer of all_gather"));
      seen = true;
    }
  }
  EXPECT_TRUE(seen);
}

// Independent of the order of the kinds of operations.
TEST_F(ComparisonTest, ALongerStepFollowsFromWhatCostsMostOfIt) {
  std::vector<double> added_ms = {2, 3, 4};
  const auto withKinds = [&](std::vector<RunFigures> runs, bool slow) {
    for (RunFigures& run : runs) {
      const KeyFigures figures = run.keys[kGradients];
      for (std::size_t kind = 0; kind < added_ms.size(); ++kind) {
        RunKey key = kGradients;
        key.op = "kind" + std::to_string(kind);
        run.keys[key] = figures;
        const double ms =
            SyntheticRun().transfer_ms + (slow ? added_ms[kind] : 0);
        run.keys[key].values[static_cast<std::size_t>(RunPart::kTransfer)] =
            scattered(ms * kMs);
      }
    }
    return runs;
  };
  SyntheticRun longer;
  longer.step_ms += 9;
  do {
    const Comparison comparison =
        compareRuns(withKinds(side({}), false), withKinds(side(longer), true),
                    {}, settings_);
    const auto most = std::max_element(added_ms.begin(), added_ms.end());
    EXPECT_THAT(
        causeText(change(comparison, RunPart::kStep, true).follows),
        HasSubstr("transfer of kind" + std::to_string(most - added_ms.begin())))
        << ::testing::PrintToString(added_ms);
  } while (std::next_permutation(added_ms.begin(), added_ms.end()));
}

// Seen with real ranks on a busy machine.
TEST_F(ComparisonTest, AnExposedWaitMayFollowFromAnOpenQuestion) {
  SyntheticRun slow;
  slow.exposed_ms *= 1.5;
  slow.wait_ms *= 2;
  std::vector<RunFigures> base = side({}), fresh = side(slow);
  const double factors[] = {0.3, 3, 1, 2, 0.5, 0.4, 2.5, 1.2, 0.8};
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    auto& values = fresh[i].keys[kGradients].values;
    *values[static_cast<std::size_t>(RunPart::kWaitForPeers)] *= factors[i];
  }
  const Comparison comparison = compareRuns(base, fresh, {}, settings_);
  const Change& exposed = change(comparison, RunPart::kExposed);
  EXPECT_FALSE(exposed.follows);
  EXPECT_THAT(causeText(exposed.perhaps_follows),
              HasSubstr("wait for peers of all_reduce"));
}

TEST_F(ComparisonTest, AnExposedWaitForMoreCallsFollows) {
  SyntheticRun more;
  more.calls = 40;
  more.exposed_ms *= 1.5;
  const Comparison comparison = compared(more);
  EXPECT_THAT(causeText(change(comparison, RunPart::kExposed).follows),
              HasSubstr("calls of all_reduce"));
}

TEST_F(ComparisonTest, OneCallMoreIsFoundWithoutStatistics) {
  SyntheticRun more;
  more.calls = 36;
  const Comparison comparison = compared(more, 2);
  const Change& calls = change(comparison, RunPart::kCalls);
  EXPECT_EQ(calls.kind, ChangeKind::kWorse);
  EXPECT_FALSE(calls.p);
  EXPECT_TRUE(comparison.hasFindings());
}

TEST_F(ComparisonTest, AnotherDtypeIsOnOneSideOnly) {
  SyntheticRun other;
  other.key.dtype = "bfloat16";
  other.key.size = "2-4 MiB";
  const Comparison comparison = compared(other);
  ASSERT_EQ(comparison.one_sided.size(), 2U);
  EXPECT_TRUE(comparison.hasFindings());
}

TEST_F(ComparisonTest, FewerCallsAndShorterTimesAreNoFindings) {
  SyntheticRun better;
  better.transfer_ms *= 0.8;
  better.calls = 28;
  const Comparison comparison = compared(better);
  EXPECT_EQ(change(comparison, RunPart::kTransfer).kind, ChangeKind::kBetter);
  EXPECT_EQ(change(comparison, RunPart::kCalls).kind, ChangeKind::kBetter);
  EXPECT_FALSE(comparison.hasFindings());
}

TEST_F(ComparisonTest, TooFewPairsAreNoMeasure) {
  SyntheticRun slow;
  slow.transfer_ms *= 2;
  const Comparison comparison = compared(slow, 3);
  EXPECT_FALSE(comparison.hasFindings());
  ASSERT_EQ(comparison.not_measured.size(), 1U);
  EXPECT_THAT(reasonTexts(comparison)[0],
              HasSubstr("too few runs: with 3 and 3 the smallest p is 0.25"));
  EXPECT_THAT(reasonTexts(comparison)[0], HasSubstr("7 pairs are enough"));
  settings_.paired = false;
  EXPECT_THAT(reasonTexts(compared(slow, 3))[0],
              HasSubstr("5 a side are enough"));
  // Random resampling has a smallest possible p-value.
  settings_.limits.alpha = 1e-5;
  EXPECT_THAT(reasonTexts(compared(slow, 3))[0],
              HasSubstr("no number of runs is enough"));
}

TEST_F(ComparisonTest, RunsThatDifferMuchAreNoMeasure) {
  scatter_ = 0.2;
  const Comparison comparison = compared({});
  EXPECT_FALSE(comparison.hasFindings());
  ASSERT_EQ(comparison.not_measured.size(), 1U);
  EXPECT_THAT(reasonTexts(comparison)[0], HasSubstr("differ too much"));
}

TEST_F(ComparisonTest, WaitsForPeersThatScatterAreNoReasonNotToPass) {
  SyntheticRun made;
  made.wait_ms = 10;
  std::vector<RunFigures> base = side(made), fresh = side(made);
  const double factors[] = {0.3, 3, 1, 2, 0.5, 0.4, 2.5, 1.2, 0.8};
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    auto& values = fresh[i].keys[kGradients].values;
    *values[static_cast<std::size_t>(RunPart::kWaitForPeers)] *= factors[i];
  }
  const Comparison comparison = compareRuns(base, fresh, {}, settings_);
  EXPECT_EQ(change(comparison, RunPart::kWaitForPeers).kind, ChangeKind::kOpen);
  EXPECT_THAT(comparison.not_measured, IsEmpty());
}

TEST_F(ComparisonTest, AMachineThatChangesIsNoMeasure) {
  SyntheticRun slow;
  slow.transfer_ms *= 1.1;
  const Comparison comparison =
      compareRuns(side({}), side({}), side(slow), settings_);
  EXPECT_FALSE(comparison.hasFindings());
  ASSERT_FALSE(comparison.not_measured.empty());
  EXPECT_THAT(reasonTexts(comparison)[0],
              HasSubstr("the same program differs from itself: transfer"));
}

TEST_F(ComparisonTest, OneRunASideHasNoVerdict) {
  SyntheticRun slow;
  slow.calls = 100;
  const Comparison comparison = compared(slow, 1);
  EXPECT_FALSE(comparison.has_verdict);
  EXPECT_FALSE(comparison.hasFindings());
  EXPECT_THAT(comparison.not_measured, Not(IsEmpty()));
}

TEST_F(ComparisonTest, ReportsWhyAFigureIsNoMeasure) {
  std::vector<RunFigures> base = side({}), fresh = side({});
  fresh[3].gaps = {Loss{Loss::What::kDropped, 12, {0}, {}, {}}};
  EXPECT_THAT(reasonTexts(compareRuns(base, fresh, {}, settings_)),
              ::testing::ElementsAre(HasSubstr("12 records dropped")));
  fresh = side({});
  fresh[3].world_size = 8;
  EXPECT_THAT(reasonTexts(compareRuns(base, fresh, {}, settings_)),
              ::testing::ElementsAre(HasSubstr("4 ranks and")));
  fresh = side({});
  fresh.pop_back();
  EXPECT_THAT(reasonTexts(compareRuns(base, fresh, {}, settings_)),
              ::testing::ElementsAre(HasSubstr("9 and 8 runs are no pairs")));
  SyntheticRun other;
  other.key.op = "all_gather";
  EXPECT_THAT(reasonTexts(compareRuns(base, side(other), {}, settings_)),
              ::testing::ElementsAre(HasSubstr("different programs")));
}

TEST_F(ComparisonTest, WaitsNearNothingAreNothing) {
  SyntheticRun before, after;
  before.wait_ms = 0.001;
  after.wait_ms = 0.01;
  const Comparison comparison =
      compareRuns(side(before), side(after), {}, settings_);
  EXPECT_EQ(change(comparison, RunPart::kWaitForPeers).kind, ChangeKind::kNone);
}

}  // namespace
}  // namespace traced
