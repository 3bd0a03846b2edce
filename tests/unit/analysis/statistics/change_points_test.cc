// tests/exports/test_otava.py holds whole series against Apache Otava.

#include "analysis/statistics/change_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "analysis/statistics/divisive.h"

namespace traced {
namespace {

using Values = std::vector<double>;

Values noisy(std::uint32_t seed, const std::vector<double>& levels,
             std::size_t each) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 1);
  Values values;
  for (const double level : levels) {
    for (std::size_t i = 0; i < each; ++i) {
      values.push_back(level + noise(random));
    }
  }
  return values;
}

double pairs(const Values& x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) sum += std::abs(x[i] - x[j]);
  }
  return sum;
}

// As the paper has it.
double qhatOf(const Values& x, const Values& y) {
  const double n = x.size(), m = y.size();
  double across = 0;
  for (const double a : x) {
    for (const double b : y) across += std::abs(a - b);
  }
  const double of_x = n > 1 ? 2 * m / (n - 1) * pairs(x) : 0;
  const double of_y = m > 1 ? 2 * n / (m - 1) * pairs(y) : 0;
  return (2 * across - of_x - of_y) / (m + n);
}

TEST(Divisive, IsWhatTheFormulaSays) {
  const std::uint32_t seed = std::random_device()();
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  for (std::uint32_t i = 0; i < 20; ++i) {
    const Values values = noisy(seed + i, {10, 10.5}, 2 + i);
    Division best{0, -1};
    for (std::size_t t = 1; t < values.size(); ++t) {
      for (std::size_t u = t + 1; u <= values.size(); ++u) {
        const double q = qhatOf({values.begin(), values.begin() + t},
                                {values.begin() + t, values.begin() + u});
        if (q > best.qhat) best = {t, q};
      }
    }
    const auto found = bestDivision(values);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->index, best.index);
    EXPECT_NEAR(found->qhat, best.qhat, 1e-9);
  }
}

TEST(Divisive, OfOneValueThereIsNone) {
  EXPECT_FALSE(bestDivision(Values{}));
  EXPECT_FALSE(bestDivision(Values{1}));
  EXPECT_EQ(bestDivision(Values{1, 2})->index, 1U);
}

TEST(ChangePoints, AreWhereLevelsChange) {
  const Values values = noisy(7, {100, 110, 103}, 40);
  const auto points = changePoints(values, {50, 1e-6, 0.01});
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].index, 40U);
  EXPECT_EQ(points[1].index, 80U);
  EXPECT_NEAR(points[0].before.mean, 100, 0.6);
  EXPECT_NEAR(points[0].after.mean, 110, 0.6);
  EXPECT_EQ(points[0].before.count, 40U);
  EXPECT_EQ(points[1].after.count, 40U);
}

TEST(ChangePoints, OfLessThanTheMagnitudeAreNone) {
  const Values values = noisy(8, {1000, 1010}, 40);
  EXPECT_EQ(changePoints(values, {50, 1e-6, 0.005}).size(), 1U);
  EXPECT_TRUE(changePoints(values, {50, 1e-6, 0.03}).empty());
}

TEST(ChangePoints, OfCountsNeedNoNoise) {
  Values values(20, 16);
  values.insert(values.end(), 2, 20);
  const auto points = changePoints(values, {50, 1e-12, 0.03});
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].index, 20U);
  EXPECT_EQ(points[0].p, 0);
  EXPECT_TRUE(changePoints(Values(30, 16), {50, 0.01, 0}).empty());
}

// Between the segments that are left, not those that were found first.
TEST(ChangePoints, HaveTheMomentsOfWholeSegments) {
  const std::uint32_t seed = std::random_device()();
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  for (std::uint32_t i = 0; i < 10; ++i) {
    const Values values = noisy(seed + i, {100, 101, 99, 100.5, 103}, 30);
    const auto points = changePoints(values, {30, 0.001, 0.01});
    std::size_t from = 0;
    for (std::size_t j = 0; j < points.size(); ++j) {
      const std::size_t to =
          j + 1 < points.size() ? points[j + 1].index : values.size();
      const absl::Span<const double> all = values;
      const std::size_t at = points[j].index;
      const double p = tTestP(momentsOf(all.subspan(from, at - from)),
                              momentsOf(all.subspan(at, to - at)));
      EXPECT_EQ(points[j].p, p);
      EXPECT_LT(p, 0.001);
      from = at;
    }
  }
}

}  // namespace
}  // namespace traced
