// Tests numbers that come close to the end of their type's range.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>

#include "base/examined.h"
#include "unit/analysis/diagnosis/diagnosed.h"

namespace traced::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint32_t kRanks = 4;

// The inputs and results of one operation of a rank.
struct Both {
  StatisticsRow input;
  StatisticsRow result;
};
using Change = std::function<void(std::uint32_t rank, int operation, Both& of)>;

void setMaximum(double maximum, StatisticsRow& row) {
  row.minimum_bits = std::bit_cast<std::uint64_t>(-maximum);
  row.maximum_bits = std::bit_cast<std::uint64_t>(maximum);
}
void setNorm(double norm, StatisticsRow& row) {
  row.norm_bits = std::bit_cast<std::uint64_t>(norm);
}

// Ranks add up 4,096 numbers, 40 times.
Diagnosis run(v1::DType dtype, const Change& change) {
  JobBuilder job(kRanks);
  for (std::uint32_t r = 0; r < kRanks; ++r) {
    RankBuilder& rank = job.rank(r);
    v1::Call& call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1);
    call.set_reduce_op(v1::REDUCE_OP_SUM);
    call.set_in_place(true);
    call.mutable_input(0)->set_dtype(dtype);
    for (int i = 0; i < 40; ++i) {
      Both both;
      both.input.op = both.result.op = rank.end(call.id(), 10 * i);
      both.input.at = static_cast<std::uint32_t>(ExaminedAt::kIssue);
      both.result.at = static_cast<std::uint32_t>(ExaminedAt::kEnd);
      both.input.elements = both.result.elements = 4096;
      setMaximum(1, both.input);
      setNorm(5 + r, both.input);
      change(r, i, both);
      rank.stream().add(both.input);
      rank.stream().add(both.result);
    }
  }
  return diagnoseJob(job);
}

JobVerdict only(const Diagnosis& found) {
  EXPECT_EQ(found.verdicts.size(), 1u);
  if (found.verdicts.empty()) return {};
  EXPECT_EQ(found.verdicts[0].kind, VerdictKind::kOverflowRisk);
  return found.verdicts[0];
}

TEST(OverflowTest, SmallNumbersAreHealthy) {
  EXPECT_THAT(run(v1::DTYPE_FLOAT16, [](std::uint32_t, int, Both&) {}).verdicts,
              IsEmpty());
}

TEST(OverflowTest, InputsThatGrowToTheEndOfTheRangeAreNamed) {
  const Change grow = [](std::uint32_t rank, int operation, Both& of) {
    if (rank != 2) setMaximum(std::exp2(operation / 2.6), of.input);
  };
  const Diagnosis found = run(v1::DTYPE_FLOAT16, grow);
  const JobVerdict verdict = only(found);
  EXPECT_EQ(verdict.finding, Confidence::kLikely);
  EXPECT_THAT(verdict.ranks, ElementsAre(0, 1, 3));
  EXPECT_EQ(verdict.seq, 40u);
  EXPECT_THAT(summaryOf(found.job, verdict),
              HasSubstr("Inputs of all_reduce #40 of \"dp\" grew from 11 to "
                        "3.28e+04 on ranks 0-1,3; float16 ends at 6.55e+04."));
  // Far below the end of a larger type.
  EXPECT_THAT(run(v1::DTYPE_BFLOAT16, grow).verdicts, IsEmpty());
}

TEST(OverflowTest, LossScalingIsHealthy) {
  // It doubles gradients, and halves them when some are infinite.
  EXPECT_THAT(run(v1::DTYPE_FLOAT16,
                  [](std::uint32_t, int operation, Both& of) {
                    setMaximum(std::exp2(12 + operation % 4), of.input);
                    if (operation % 4 == 3) {
                      of.input.infinite = 9;
                      of.result.infinite = 9;
                    }
                  })
                  .verdicts,
              IsEmpty());
}

TEST(OverflowTest, SaturatedNumbersAreNamed) {
  const auto saturated = [](v1::DType dtype, std::uint64_t elements) {
    return run(dtype, [elements](std::uint32_t rank, int operation, Both& of) {
      if (rank == 3 && operation > 30) of.input.saturated = elements;
    });
  };
  const Diagnosis found = saturated(v1::DTYPE_FLOAT16, 1);
  EXPECT_THAT(only(found).ranks, ElementsAre(3));
  EXPECT_THAT(summaryOf(found.job, only(found)),
              HasSubstr("input elements of operations up to all_reduce #40"));
  only(saturated(v1::DTYPE_FLOAT8_E4M3FN, 100));
  // The scale makes the largest number of a tensor that of the type.
  EXPECT_THAT(saturated(v1::DTYPE_FLOAT8_E4M3FN, 1).verdicts, IsEmpty());
}

TEST(OverflowTest, SumsThatStayInfiniteAreNamed) {
  const auto from = [](int first, int last) {
    return run(v1::DTYPE_FLOAT16, [=](std::uint32_t, int operation, Both& of) {
      if (operation >= first && operation <= last) of.result.infinite = 1;
    });
  };
  const Diagnosis found = from(30, 39);
  EXPECT_EQ(only(found).finding, Confidence::kCertain);
  EXPECT_THAT(
      summaryOf(found.job, only(found)),
      HasSubstr("The float16 sum of all_reduce #31 of \"dp\" is infinite "
                "though all inputs were finite. It happened in 10 "
                "operations, last in #40."));
  EXPECT_THAT(from(20, 30).verdicts, IsEmpty());
  EXPECT_THAT(from(39, 39).verdicts, IsEmpty());
}

TEST(OverflowTest, ANormOfAnotherOrderIsNamed) {
  const Diagnosis found =
      run(v1::DTYPE_FLOAT32, [](std::uint32_t rank, int operation, Both& of) {
        if (rank == 1 && operation % 2 == 1) setNorm(1e5, of.input);
      });
  EXPECT_THAT(only(found).culprits, ElementsAre(1));
  EXPECT_EQ(only(found).culprit, Confidence::kLikely);
  EXPECT_THAT(summaryOf(found.job, only(found)),
              HasSubstr("The input of rank 1 in all_reduce #2 of \"dp\" has an "
                        "L2 norm of 1e+05; that of every other rank is at most "
                        "8."));
  // One rank broadcasts by adding zeros.
  EXPECT_THAT(run(v1::DTYPE_FLOAT32,
                  [](std::uint32_t rank, int, Both& of) {
                    if (rank != 1) setNorm(0, of.input);
                  })
                  .verdicts,
              IsEmpty());
  // Once.
  EXPECT_THAT(run(v1::DTYPE_FLOAT32,
                  [](std::uint32_t rank, int operation, Both& of) {
                    if (rank == 1 && operation == 9) setNorm(1e5, of.input);
                  })
                  .verdicts,
              IsEmpty());
}

}  // namespace
}  // namespace traced::testing
