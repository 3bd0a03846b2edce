#include "analysis/digest/unseen_ways.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace traced {
namespace {

// Whatever of the three kinds of keys a report has, and however it takes groups
// together.
TEST(UnseenWaysTest, EveryWayIsThereOnce) {
  const std::vector<UnseenWay> ways = unseenWays();
  EXPECT_EQ(ways.size(), 3u * 8u);
  for (const UnseenWay& way : ways) {
    EXPECT_EQ(std::count(ways.begin(), ways.end(), way), 1);
  }
}

}  // namespace
}  // namespace traced
