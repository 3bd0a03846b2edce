// Tests each way in which one rank can call something else, with each rank as
// the culprit, in jobs of 2, 4 and 8.

#include <gtest/gtest.h>

#include <numeric>
#include <tuple>

#include "unit/analysis/diagnosis/diagnosed.h"

namespace traced::testing {
namespace {

class MismatchTest : public ::testing::TestWithParam<
                         std::tuple<std::uint32_t, std::uint32_t>> {
 protected:
  std::uint32_t world() const { return std::get<0>(GetParam()); }
  std::uint32_t culprit() const { return std::get<1>(GetParam()); }

  // Both ranks are named if only two ranks disagree.
  Ranks culprits() const {
    return world() == 2 ? Ranks{0, 1} : Ranks{culprit()};
  }
  // The difference is recorded; which rank is right is not.
  void expectSure(const Diagnosis& diagnosis) const {
    expectConfidence(
        diagnosis, Confidence::kCertain,
        world() == 2 ? Confidence::kUndecided : Confidence::kLikely);
  }

  // All ranks run three all_reduces, then the odd operation, then three more.
  template <typename Usual, typename Odd>
  Diagnosis run(Usual&& usual, Odd&& odd) {
    JobBuilder job(world());
    for (std::uint32_t r = 0; r < world(); ++r) {
      RankBuilder& rank = job.rank(r);
      v1::Call& call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1);
      call.set_reduce_op(v1::REDUCE_OP_SUM);
      const std::uint32_t common = call.id();
      for (int i = 0; i < 3; ++i) rank.end(common, 10 * i);
      if (r == culprit()) {
        odd(rank);
      } else {
        usual(rank);
      }
      for (int i = 5; i < 8; ++i) rank.end(common, 10 * i);
    }
    return diagnoseJob(job);
  }

  template <typename Change>
  Diagnosis runChanged(v1::Operation op, Change&& change) {
    const auto call = [&](RankBuilder& rank, bool odd) {
      v1::Call& made = rank.addCall(op, 1, 1024, 2048);
      made.set_reduce_op(v1::REDUCE_OP_SUM);
      made.set_root_plus_1(1);
      if (odd) change(made);
      rank.end(made.id(), 40);
    };
    return run([&](RankBuilder& rank) { call(rank, false); },
               [&](RankBuilder& rank) { call(rank, true); });
  }
};

TEST_P(MismatchTest, AnotherOperation) {
  const Diagnosis diagnosis =
      runChanged(v1::OPERATION_BROADCAST,
                 [](v1::Call& call) { call.set_op(v1::OPERATION_REDUCE); });
  expectVerdict(diagnosis, VerdictKind::kOpMismatch, culprits());
  expectSure(diagnosis);
  EXPECT_EQ(diagnosis.verdicts[0].seq, 4U);
}

TEST_P(MismatchTest, AnotherSize) {
  expectVerdict(runChanged(v1::OPERATION_BROADCAST,
                           [](v1::Call& call) { call.set_bytes_in(1028); }),
                VerdictKind::kSizeMismatch, culprits());
}

TEST_P(MismatchTest, AnotherDtype) {
  expectVerdict(
      runChanged(v1::OPERATION_BROADCAST,
                 [](v1::Call& call) {
                   call.set_bytes_in(2048);
                   call.mutable_input(0)->set_dtype(v1::DTYPE_FLOAT64);
                 }),
      VerdictKind::kDtypeMismatch, culprits());
}

TEST_P(MismatchTest, AnotherReduceOp) {
  expectVerdict(
      runChanged(v1::OPERATION_ALL_REDUCE,
                 [](v1::Call& call) { call.set_reduce_op(v1::REDUCE_OP_MAX); }),
      VerdictKind::kReduceOpMismatch, culprits());
}

TEST_P(MismatchTest, AnotherRoot) {
  expectVerdict(runChanged(v1::OPERATION_BROADCAST,
                           [](v1::Call& call) { call.set_root_plus_1(2); }),
                VerdictKind::kRootMismatch, culprits());
}

TEST_P(MismatchTest, TwoOperationsInTheOppositeOrder) {
  const auto calls = [](RankBuilder& rank) {
    const std::uint32_t a = rank.addCall(v1::OPERATION_BROADCAST, 1).id();
    const std::uint32_t b = rank.addCall(v1::OPERATION_BARRIER, 1, 0).id();
    return std::pair(a, b);
  };
  const Diagnosis diagnosis = run(
      [&](RankBuilder& rank) {
        const auto [a, b] = calls(rank);
        rank.end(a, 40);
        rank.end(b, 45);
      },
      [&](RankBuilder& rank) {
        const auto [a, b] = calls(rank);
        rank.end(b, 40);
        rank.end(a, 45);
      });
  expectVerdict(diagnosis, VerdictKind::kOrderMismatch, culprits());
  EXPECT_EQ(diagnosis.verdicts[0].seq, 4U);
}

TEST_P(MismatchTest, AnExtraOperation) {
  const Diagnosis diagnosis =
      run([](RankBuilder&) {},
          [](RankBuilder& rank) {
            rank.end(rank.addCall(v1::OPERATION_BROADCAST, 1).id(), 40);
          });
  ASSERT_FALSE(diagnosis.verdicts.empty());
  EXPECT_EQ(diagnosis.verdicts[0].kind, VerdictKind::kOpMismatch);
  EXPECT_EQ(diagnosis.culprits, culprits()) << textOf(diagnosis);
}

TEST_P(MismatchTest, AnOperationLeftOut) {
  const Diagnosis diagnosis = run(
      [](RankBuilder& rank) {
        rank.end(rank.addCall(v1::OPERATION_BROADCAST, 1).id(), 40);
      },
      [](RankBuilder&) {});
  ASSERT_FALSE(diagnosis.verdicts.empty());
  EXPECT_EQ(diagnosis.verdicts[0].kind, VerdictKind::kOpMismatch);
  EXPECT_EQ(diagnosis.culprits, culprits()) << textOf(diagnosis);
}

TEST_P(MismatchTest, SplitsThatNoOtherRankExpects) {
  JobBuilder job(world());
  for (std::uint32_t r = 0; r < world(); ++r) {
    RankBuilder& rank = job.rank(r);
    v1::Call& call = rank.addCall(v1::OPERATION_ALL_TO_ALL_SINGLE, 1);
    for (std::uint32_t other = 0; other < world(); ++other) {
      // The split from rank a to rank b depends on both.
      call.add_split_in(10 * r + other + 1);
      call.add_split_out(10 * other + r + 1);
    }
    if (r == culprit()) {
      for (auto& split : *call.mutable_split_in()) split += 3;
      call.set_split_in(static_cast<int>(r), 11 * r + 1);
    }
    rank.end(call.id(), 10);
  }
  const Diagnosis diagnosis = diagnoseJob(job);
  expectVerdict(diagnosis, VerdictKind::kSplitMismatch, culprits());
  expectSure(diagnosis);
}

std::vector<std::tuple<std::uint32_t, std::uint32_t>> everyRank() {
  std::vector<std::tuple<std::uint32_t, std::uint32_t>> all;
  for (const std::uint32_t world : {2U, 4U, 8U}) {
    for (std::uint32_t rank = 0; rank < world; ++rank) {
      all.emplace_back(world, rank);
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(EachRank, MismatchTest,
                         ::testing::ValuesIn(everyRank()),
                         [](const auto& instance) {
                           return "Rank" +
                                  std::to_string(std::get<1>(instance.param)) +
                                  "Of" +
                                  std::to_string(std::get<0>(instance.param));
                         });

TEST(MismatchRule, AllowedDifferencesAreNoMismatch) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    // Only the root of a gather has outputs, and only the root of a scatter
    // inputs.
    rank.end(rank.addCall(v1::OPERATION_GATHER, 1, 64, r == 0 ? 256 : 0).id(),
             0);
    v1::Call& scatter =
        rank.addCall(v1::OPERATION_SCATTER, 1, r == 0 ? 256 : 0, 64);
    if (r > 0) scatter.clear_input();
    scatter.add_output()->set_dtype(v1::DTYPE_FLOAT32);
    rank.end(scatter.id(), 10);
    // An uneven all_gather: ranks contribute different sizes.
    v1::Call& gather =
        rank.addCall(v1::OPERATION_ALL_GATHER, 1, 4 * (r + 1), 40);
    gather.add_output()->add_shape(1);
    gather.add_output()->add_shape(2);
    rank.end(gather.id(), 20);
  }
  expectHealthy(diagnoseJob(job));
}

// All ranks alternate two calls. Rank 2 leaves one out, or makes one twice.
Diagnosis diagnoseAlternating(bool leaves_out) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    std::uint32_t calls[2];
    for (std::uint32_t i = 0; i < 2; ++i) {
      v1::Call& call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1);
      call.set_reduce_op(i == 0 ? v1::REDUCE_OP_SUM : v1::REDUCE_OP_MAX);
      calls[i] = call.id();
    }
    for (int i = 0; i < 20; ++i) {
      const bool odd = r == 2 && i == 8;
      if (odd && !leaves_out) rank.end(calls[i % 2], 10 * i);
      if (!odd || !leaves_out) rank.end(calls[i % 2], 10 * i + 5);
    }
  }
  return diagnoseJob(job);
}

TEST(MismatchRule, ACallLeftOutOfALoopOfTwoIsNoSwap) {
  for (const bool leaves_out : {true, false}) {
    const Diagnosis diagnosis = diagnoseAlternating(leaves_out);
    ASSERT_FALSE(diagnosis.verdicts.empty());
    EXPECT_NE(diagnosis.verdicts[0].kind, VerdictKind::kOrderMismatch)
        << textOf(diagnosis);
    EXPECT_EQ(textOf(diagnosis).find("opposite order"), std::string::npos)
        << textOf(diagnosis);
    EXPECT_NE(textOf(diagnosis).find("one was left out or made once more"),
              std::string::npos)
        << textOf(diagnosis);
    EXPECT_EQ(diagnosis.culprits, Ranks{2});
  }
}

TEST(MismatchRule, OnlyBeforeTheFirstDifferenceRanksAgree) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    for (int i = 0; i < 10; ++i) {
      const bool first = r == 1 && i == 2;
      const bool second = r == 1 && i == 6;
      v1::Call& call =
          rank.addCall(v1::OPERATION_BROADCAST, 1, first ? 512 : 256);
      call.set_root_plus_1(second ? 2 : 1);
      rank.end(call.id(), 10 * i);
    }
  }
  const Diagnosis diagnosis = diagnoseJob(job);
  ASSERT_EQ(diagnosis.verdicts.size(), 2U) << textOf(diagnosis);
  const std::string text = textOf(diagnosis);
  EXPECT_EQ(text.find("Before that they agree"),
            text.rfind("Before that they agree"))
      << text;
}

// Two of four ranks have a trace and differ: this is certain, the culprit is
// not.
TEST(MismatchRule, WithoutAMajorityNoRankIsNamed) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    rank.end(rank.addCall(v1::OPERATION_BROADCAST, 1, r == 1 ? 512 : 256).id(),
             0);
  }
  const Diagnosis diagnosis = diagnoseJob(job, Ending::kClosed, {2, 3});
  expectVerdict(diagnosis, VerdictKind::kSizeMismatch, {});
  expectConfidence(diagnosis, Confidence::kCertain, Confidence::kUndecided);
}

// Traces of an older recorder next to another run may mix two runs.
TEST(MismatchRule, PossiblyMixedRunsLowerTheConfidence) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    rank.end(rank.addCall(v1::OPERATION_BROADCAST, 1, r == 1 ? 512 : 256).id(),
             0);
  }
  const Diagnosis diagnosis =
      diagnoseJob(job, Ending::kClosed, {}, {}, /*may_mix_runs=*/true);
  expectVerdict(diagnosis, VerdictKind::kSizeMismatch, {1});
  expectConfidence(diagnosis, Confidence::kLikely, Confidence::kLikely);
  EXPECT_NE(textOf(diagnosis).find("may be of two runs"), std::string::npos)
      << textOf(diagnosis);
}

TEST(MismatchRule, ReportsARepeatedMismatchOnce) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t call =
        rank.addCall(v1::OPERATION_BROADCAST, 1, r == 2 ? 512 : 256).id();
    const std::uint32_t barrier =
        rank.addCall(v1::OPERATION_BARRIER, 1, 0).id();
    for (int i = 0; i < 20; ++i) {
      rank.end(call, 20 * i);
      rank.end(barrier, 20 * i + 10);
    }
  }
  const Diagnosis diagnosis = diagnoseJob(job);
  expectVerdict(diagnosis, VerdictKind::kSizeMismatch, {2});
  EXPECT_NE(textOf(diagnosis).find("19 later operations"), std::string::npos)
      << textOf(diagnosis);
}

}  // namespace
}  // namespace traced::testing
