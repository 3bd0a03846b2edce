#include "analysis/timeline/slices.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

TEST(LanesTest, SlicesThatOverlapLieApart) {
  Lanes lanes;
  EXPECT_EQ(lanes.place(0, 10), 0u);
  EXPECT_EQ(lanes.place(5, 30), 1u);
  EXPECT_EQ(lanes.place(6, 8), 2u);
  EXPECT_EQ(lanes.count(), 3u);
}

TEST(LanesTest, TheLowestFreeLaneIsTaken) {
  Lanes lanes;
  lanes.place(0, 10);
  lanes.place(1, 5);
  lanes.place(2, 6);
  // Both others are free: one ended before, one just now.
  EXPECT_EQ(lanes.place(6, 7), 1u);
  EXPECT_EQ(lanes.place(7, 9), 1u);
  EXPECT_EQ(lanes.count(), 3u);
}

TEST(LanesTest, AnEmptySliceFreesItsLane) {
  Lanes lanes;
  EXPECT_EQ(lanes.place(5, 5), 0u);
  EXPECT_EQ(lanes.place(5, 5), 0u);
  EXPECT_EQ(lanes.place(5, 6), 0u);
  EXPECT_EQ(lanes.place(5, 6), 1u);
}

}  // namespace
}  // namespace traced
