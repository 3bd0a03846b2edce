// Expected values are from SciPy 1.17. tests/compare checks many more against
// it.

#include "analysis/statistics/shift.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

const std::vector<double> kOfPairs = {0.11, 0.08, 0.14, -0.02, 0.09,
                                      0.12, 0.07, 0.10, 0.13};

TEST(Shift, PairedShiftIsTheMedianOfPairwiseMeans) {
  const Shift shift = pairedShift(kOfPairs, 0.95);
  EXPECT_DOUBLE_EQ(shift.estimate, 0.1);
  EXPECT_DOUBLE_EQ(shift.low, 0.045);
  EXPECT_DOUBLE_EQ(shift.high, 0.125);
  EXPECT_DOUBLE_EQ(shift.coverage, 0.9609375);
}

TEST(Shift, TwoSampleShiftIsTheMedianOfAllDifferences) {
  const Shift shift = twoSampleShift({1.0, 1.2, 0.9, 1.1, 1.05},
                                     {1.3, 1.25, 1.4, 1.15, 1.5, 1.35}, 0.95);
  EXPECT_NEAR(shift.estimate, 0.275, 1e-12);
  EXPECT_NEAR(shift.low, 0.1, 1e-12);
  EXPECT_NEAR(shift.high, 0.45, 1e-12);
  EXPECT_NEAR(shift.coverage, 1 - 0.030303030303030304, 1e-12);
}

TEST(Shift, AnOutlierMovesItLittle) {
  std::vector<double> differences = kOfPairs;
  differences[0] = 1000;
  EXPECT_NEAR(pairedShift(differences, 0.95).estimate, 0.1, 0.02);
}

TEST(Shift, TooFewValuesGiveTheWidestInterval) {
  const Shift shift = pairedShift({0.1, 0.3}, 0.95);
  EXPECT_DOUBLE_EQ(shift.low, 0.1);
  EXPECT_DOUBLE_EQ(shift.high, 0.3);
  EXPECT_DOUBLE_EQ(shift.coverage, 0.5);
  const Shift one = pairedShift({0.1}, 0.95);
  EXPECT_DOUBLE_EQ(one.low, one.high);
}

TEST(RankCounts, AddUpToOneAndAreSymmetric) {
  const std::vector<double> signed_rank = signedRankCdf(64);
  EXPECT_NEAR(signed_rank.back(), 1, 1e-12);
  const std::vector<double> rank_sum = rankSumCdf(64, 64);
  ASSERT_EQ(rank_sum.size(), 64U * 64 + 1);
  EXPECT_NEAR(rank_sum.back(), 1, 1e-12);
  EXPECT_NEAR(rank_sum[2047], 1 - rank_sum[2048], 1e-9);
  // With five and six values, only one of 462 orders puts all of the first
  // below all of the second.
  EXPECT_NEAR(rankSumCdf(5, 6)[0], 1.0 / 462, 1e-15);
}

}  // namespace
}  // namespace traced
