// Numbers are those of SciPy 1.17: 2 * scipy.stats.t.sf(t, df), and t.isf.

#include "analysis/statistics/student_t.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace traced {
namespace {

void expectClose(double value, double expected) {
  EXPECT_NEAR(value / expected, 1, 1e-10) << value;
}

TEST(StudentT, IsThatOfSciPy) {
  expectClose(studentP(0.1, 1), 0.936548965138893);
  expectClose(studentP(1, 2), 0.4226497308103742);
  expectClose(studentP(-2.5, 3), 0.08770664700806556);
  expectClose(studentP(4, 10), 0.0025183326247366945);
  expectClose(studentP(6.6, 48), 3.0206822809342195e-08);
  expectClose(studentP(30, 5), 7.718648620496053e-07);
  expectClose(studentP(12, 500), 2.4864512784618514e-29);
  expectClose(studentP(40, 98), 1.6633877203685833e-62);
}

TEST(StudentT, OfNothingIsOneAndOfInfinityZero) {
  EXPECT_EQ(studentP(0, 5), 1);
  EXPECT_EQ(studentP(std::numeric_limits<double>::infinity(), 5), 0);
  EXPECT_EQ(studentP(std::nan(""), 5), 1);
}

TEST(StudentT, IsTurnedAround) {
  for (const double p : {0.5, 0.05, 1e-3, 1e-8, 1e-30}) {
    for (const double df : {1.0, 2.0, 7.0, 48.0, 1000.0}) {
      expectClose(studentP(studentT(p, df), df), p);
    }
  }
}

}  // namespace
}  // namespace traced
