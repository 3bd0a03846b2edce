#include "ring_io/ring/group_info.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

using Members = std::vector<std::uint32_t>;

Members expand(const std::vector<RankRange>& ranges) {
  Members members;
  for (const RankRange& range : ranges) {
    for (std::uint32_t i = 0; i < range.count; ++i) {
      members.push_back(range.first +
                        i * static_cast<std::uint32_t>(range.stride));
    }
  }
  return members;
}

TEST(ToRangesTest, OneRangeForARegularList) {
  Members world(100'000);
  for (std::uint32_t i = 0; i < world.size(); ++i) world[i] = i;
  EXPECT_EQ(toRanges(world), (std::vector{RankRange{0, 100'000, 1}}));
  EXPECT_EQ(toRanges({1, 9, 17}), (std::vector{RankRange{1, 3, 8}}));
  EXPECT_EQ(toRanges({5, 3, 1}), (std::vector{RankRange{5, 3, -2}}));
  EXPECT_EQ(toRanges({4, 9}), (std::vector{RankRange{4, 2, 5}}));
  EXPECT_EQ(toRanges({7}), (std::vector{RankRange{7, 1, 1}}));
}

TEST(ToRangesTest, KeepsAnyListInItsOrder) {
  for (const Members& members :
       {Members{}, Members{0, 1, 2, 8, 9, 10}, Members{3, 1, 4, 1, 5, 9, 2, 6},
        Members{2, 2, 2}, Members{0, 4294967295u}}) {
    EXPECT_EQ(expand(toRanges(members)), members);
  }
}

}  // namespace
}  // namespace traced
