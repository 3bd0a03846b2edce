#include "analysis/clocks/groups_across.h"

#include <gtest/gtest.h>

#include <numeric>

namespace traced {
namespace {

RankList ranks(const std::vector<std::uint32_t>& list) {
  return RankList::fromRanks(list);
}

// Ranks 0 to 3 read one clock, 4 to 7 another; rank 8 has no trace.
class GroupsAcrossTest : public ::testing::Test {
 protected:
  GroupsAcross groups_{
      {{7, 5}, {6, 5}, {5, 5}, {4, 5}, {0, 2}, {1, 2}, {2, 2}, {3, 2}}};
};

TEST_F(GroupsAcrossTest, AGroupIsAcrossIfItsRanksReadSeveralClocks) {
  EXPECT_FALSE(groups_.contains(0, ranks({0, 1, 2, 3})));
  EXPECT_TRUE(groups_.contains(1, ranks({3, 4})));
  EXPECT_FALSE(groups_.contains(2, ranks({7, 4})));
  EXPECT_TRUE(groups_.contains(9, ranks({0, 8, 7})));
}

TEST_F(GroupsAcrossTest, ARankWithoutATraceReadsNoClock) {
  EXPECT_FALSE(groups_.contains(0, ranks({0, 8})));
  EXPECT_FALSE(groups_.contains(1, ranks({8})));
}

TEST_F(GroupsAcrossTest, CachesItsResults) {
  EXPECT_TRUE(groups_.contains(0, ranks({3, 4})));
  EXPECT_TRUE(groups_.contains(0, ranks({3})));
}

TEST_F(GroupsAcrossTest, AGroupLargerThanAHostIsNotScanned) {
  std::vector<std::uint32_t> many(300);
  std::iota(many.begin(), many.end(), 1000);
  EXPECT_TRUE(groups_.contains(0, ranks(many)));
  many.resize(256);
  EXPECT_FALSE(groups_.contains(1, ranks(many)));
}

}  // namespace
}  // namespace traced
