#include "analysis/statistics/resampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace traced {
namespace {

const std::vector<double> kDifferences = {0.11, 0.08, 0.14, -0.02, 0.09,
                                          0.12, 0.07, 0.10, 0.13};

TEST(SignFlips, AllWaysAreTried) {
  // SciPy: permutation_test(permutation_type="samples"), 4 of 512.
  EXPECT_DOUBLE_EQ(signFlipTest({kDifferences})[0], 0.0078125);
}

TEST(SignFlips, PValuesAccountForAllColumns) {
  // Next to a noisy column a p-value grows, and never shrinks.
  const std::vector<double> noise = {0.2,  -0.1, 0.3,  -0.2, 0.1,
                                     -0.3, 0.4,  -0.2, 0.25};
  const std::vector<double> p = signFlipTest({kDifferences, noise});
  EXPECT_GE(p[0], 0.0078125);
  EXPECT_GT(p[1], signFlipTest({noise})[0]);
}

TEST(SignFlips, WithoutAnyDifferenceThereIsNothing) {
  EXPECT_DOUBLE_EQ(signFlipTest({std::vector<double>(9, 0.0)})[0], 1);
}

TEST(SignFlips, EqualDifferencesHaveTheSmallestP) {
  EXPECT_DOUBLE_EQ(signFlipTest({std::vector<double>(9, 0.1)})[0],
                   minSignFlipP(9));
  EXPECT_DOUBLE_EQ(minSignFlipP(9), 1.0 / 256);
  EXPECT_DOUBLE_EQ(minSignFlipP(1), 1);
}

TEST(SignFlips, ManyPairsAreTriedAtRandomAndAgree) {
  std::vector<double> few, many;
  for (int i = 0; i < 15; ++i)
    few.push_back(i % 3 == 0 ? -0.1 : 0.1 + 0.01 * i);
  many = few;
  many.push_back(0);  // a flip changes nothing, but adds a pair
  EXPECT_NEAR(signFlipTest({few})[0], signFlipTest({many})[0], 0.01);
}

TEST(Relabelling, AllWaysAreTried) {
  const std::vector<double> p = relabelTest(
      {{1.0, 1.2, 0.9, 1.1, 1.05}}, {{1.3, 1.25, 1.4, 1.15, 1.5, 1.35}});
  // SciPy: permutation_test of |t|, 4 of 462.
  EXPECT_DOUBLE_EQ(p[0], 0.008658008658008658);
  EXPECT_DOUBLE_EQ(leastRelabelP(5, 6), 1.0 / 462);
  EXPECT_DOUBLE_EQ(leastRelabelP(5, 5), 2.0 / 252);
}

TEST(Relabelling, EqualSamplesHaveNoDifference) {
  EXPECT_DOUBLE_EQ(relabelTest({{5, 5, 5}}, {{5, 5, 5}})[0], 1);
}

TEST(Relabelling, ChanceAloneIsFoundAsOftenAsAlpha) {
  const unsigned seed = 7;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::normal_distribution<double> noise;
  int found = 0;
  constexpr int kTrials = 400;
  for (int trial = 0; trial < kTrials; ++trial) {
    Columns before(3), after(3);
    for (int column = 0; column < 3; ++column) {
      for (int run = 0; run < 6; ++run) {
        before[column].push_back(noise(random));
        after[column].push_back(noise(random));
      }
    }
    const std::vector<double> p = relabelTest(before, after);
    found += *std::min_element(p.begin(), p.end()) <= 0.05;
  }
  // 20 are expected; 40 would be more than four standard deviations off.
  EXPECT_LT(found, 40);
  EXPECT_GT(found, 4);
}

TEST(Holm, IsStricterTheMoreTestsThereAre) {
  EXPECT_EQ(holmAdjusted({0.01, 0.04, 0.03}),
            (std::vector<double>{0.03, 0.06, 0.06}));
  EXPECT_EQ(holmAdjusted({0.6, 0.7}), (std::vector<double>{1, 1}));
  EXPECT_TRUE(holmAdjusted({}).empty());
}

}  // namespace
}  // namespace traced
