// Tests where NaN began.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/examined.h"
#include "unit/analysis/diagnosis/diagnosed.h"

namespace traced::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Which tensors have NaN: of which rank and operation.
struct Nan {
  std::uint32_t rank;
  int operation;
  ExaminedAt at;
};

struct NanProgram {
  v1::Operation op = v1::OPERATION_ALL_REDUCE;
  v1::ReduceOp reduce_op = v1::REDUCE_OP_SUM;
  int operations = 6;
  Ending ending = Ending::kClosed;
  // Rank 0 has no statistics of the result of the first operation.
  bool first_is_unexamined = false;
};

Diagnosis run(const std::vector<Nan>& nans, const NanProgram& program = {}) {
  constexpr std::uint32_t kRanks = 3;
  JobBuilder job(kRanks);
  for (std::uint32_t r = 0; r < kRanks; ++r) {
    RankBuilder& rank = job.rank(r);
    v1::Call& call = rank.addCall(program.op, 1);
    call.set_reduce_op(program.reduce_op);
    call.set_in_place(true);
    for (int i = 0; i < program.operations; ++i) {
      const std::uint64_t op = rank.end(call.id(), 10 * i);
      for (const ExaminedAt at : {ExaminedAt::kIssue, ExaminedAt::kEnd}) {
        StatisticsRow row;
        row.op = op;
        row.at = static_cast<std::uint32_t>(at);
        row.elements = 100;
        for (const Nan& nan : nans) {
          const bool is_it =
              nan.rank == r && nan.operation == i && nan.at == at;
          if (is_it) row.nan = 7;
        }
        const bool unexamined = program.first_is_unexamined && r == 0 &&
                                i == 0 && at == ExaminedAt::kEnd;
        if (unexamined) row = {.op = op, .at = row.at, .skipped = 6};
        rank.stream().add(row);
      }
    }
  }
  return diagnoseJob(job, program.ending);
}

// NaN begins in the input of one rank, is in all results, and stays.
std::vector<Nan> spreading(std::uint32_t rank, int operation, int until = 6) {
  std::vector<Nan> nans = {{rank, operation, ExaminedAt::kIssue}};
  for (std::uint32_t r = 0; r < 3; ++r) {
    for (int i = operation; i < until; ++i) {
      nans.push_back({r, i, ExaminedAt::kEnd});
      if (i > operation) nans.push_back({r, i, ExaminedAt::kIssue});
    }
  }
  return nans;
}

TEST(NanTest, ItsFirstRankIsNamed) {
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    for (int operation = 0; operation < 5; ++operation) {
      const Diagnosis found = run(spreading(rank, operation));
      ASSERT_EQ(found.verdicts.size(), 1u) << rank << " " << operation;
      const JobVerdict& verdict = found.verdicts[0];
      EXPECT_EQ(verdict.kind, VerdictKind::kNanOrigin);
      EXPECT_EQ(verdict.finding, Confidence::kCertain);
      EXPECT_THAT(verdict.culprits, ElementsAre(rank));
      EXPECT_EQ(verdict.seq, static_cast<std::uint64_t>(operation + 1));
    }
  }
}

TEST(NanTest, RanksThatBeganTogetherAreNamedTogether) {
  std::vector<Nan> nans = spreading(0, 2);
  nans.push_back({2, 2, ExaminedAt::kIssue});
  const Diagnosis found = run(nans);
  ASSERT_EQ(found.verdicts.size(), 1u);
  EXPECT_THAT(found.verdicts[0].culprits, ElementsAre(0, 2));
  EXPECT_EQ(summaryOf(found.job, found.verdicts[0]),
            "NaN began on ranks 0,2: 14 of 200 input elements of all_reduce #3 "
            "of \"dp\".");
}

TEST(NanTest, NanThatPassesIsNone) {
  EXPECT_THAT(run(spreading(1, 2, 4)).verdicts, IsEmpty());
}

TEST(NanTest, ThatItStaysMustBeSeenUnlessTheProcessFailed) {
  EXPECT_THAT(run(spreading(1, 5)).verdicts, IsEmpty());
  NanProgram program;
  program.ending = Ending::kCut;
  const Diagnosis found = run(spreading(1, 5), program);
  const auto nan = std::find_if(
      found.verdicts.begin(), found.verdicts.end(),
      [](const JobVerdict& v) { return v.kind == VerdictKind::kNanOrigin; });
  ASSERT_NE(nan, found.verdicts.end());
  EXPECT_THAT(nan->culprits, ElementsAre(1));
}

TEST(NanTest, AProgramMayMeanIt) {
  std::vector<Nan> always;
  for (int i = 0; i < 6; ++i) always.push_back({1, i, ExaminedAt::kIssue});
  NanProgram gathers;
  gathers.op = v1::OPERATION_ALL_GATHER;
  gathers.reduce_op = v1::REDUCE_OP_UNSPECIFIED;
  EXPECT_THAT(run(always, gathers).verdicts, IsEmpty());
  EXPECT_EQ(run(always).verdicts.size(), 1u);
}

TEST(NanTest, UnexaminedResultsMakeItLikely) {
  NanProgram program;
  program.first_is_unexamined = true;
  const Diagnosis found = run(spreading(0, 2), program);
  ASSERT_EQ(found.verdicts.size(), 1u);
  EXPECT_EQ(found.verdicts[0].finding, Confidence::kLikely);
}

}  // namespace
}  // namespace traced::testing
