#include "analysis/job/covered_windows.h"

#include <gtest/gtest.h>

#include <limits>

namespace traced {
namespace {

TEST(CoveredWindowsTest, TellsHowMuchOfAnIntervalIsCovered) {
  const std::vector<TimeWindow> windows = {{10, 20}, {30, 35}, {35, 36}};
  const CoveredWindows covered(windows);
  EXPECT_EQ(covered.allNs(), 16);
  EXPECT_EQ(covered.span().begin_ns, 10);
  EXPECT_EQ(covered.span().end_ns, 36);
  EXPECT_EQ(covered.within(0, 100), 16);
  EXPECT_EQ(covered.within(0, 10), 0);
  EXPECT_EQ(covered.within(12, 15), 3);
  EXPECT_EQ(covered.within(15, 32), 7);
  EXPECT_EQ(covered.within(20, 30), 0);
  EXPECT_EQ(covered.within(36, 99), 0);
  EXPECT_EQ(covered.within(15, 12), 0);
}

TEST(CoveredWindowsTest, CanBeEmptyOrHuge) {
  const std::vector<TimeWindow> none;
  EXPECT_EQ(CoveredWindows(none).within(0, 10), 0);
  EXPECT_EQ(CoveredWindows(none).span().end_ns, 0);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::vector<TimeWindow> all = {{-kMost, kMost}};
  EXPECT_EQ(CoveredWindows(all).within(3, 10), 7);
}

}  // namespace
}  // namespace traced
