#include "base/cover_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace traced {
namespace {

TEST(CoverBoundTest, WindowsInAnyOrderCountOnce) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> at(0, 199);
  for (int round = 0; round < 200; ++round) {
    CoverBound bound;
    std::vector<bool> covered(200);
    for (int i = 0; i < 30; ++i) {
      const int begin_ns = at(random);
      const int end_ns = std::min(begin_ns + at(random) / 8, 199);
      bound.add(begin_ns, end_ns);
      for (int ns = begin_ns; ns < end_ns; ++ns) covered[ns] = true;
    }
    EXPECT_EQ(bound.ns(), std::count(covered.begin(), covered.end(), true));
  }
}

TEST(CoverBoundTest, AWindowBehindAllKeptPartsMayOnlyCountTooMuch) {
  CoverBound bound;
  constexpr std::int64_t kParts = 10 * CoverBound::kMaxParts;
  for (std::int64_t i = 0; i < kParts; ++i) bound.add(10 * i, 10 * i + 5);
  EXPECT_EQ(bound.ns(), 5u * kParts);
  bound.add(0, 10 * kParts);
  EXPECT_GE(bound.ns(), 10u * kParts);
  EXPECT_LE(bound.ns(), 15u * kParts);
}

TEST(CoverBoundTest, AnOpenWindowCoversTheRest) {
  CoverBound bound;
  bound.add(0, 10);
  bound.addOpen(20);
  EXPECT_TRUE(bound.isOpen());
  bound.add(15, 30);
  bound.close(50);
  EXPECT_EQ(bound.ns(), 10u + 35u);
}

}  // namespace
}  // namespace traced
