#include "analysis/stream/rank_list.h"

#include <gtest/gtest.h>

#include <limits>

#include "absl/hash/hash.h"

namespace traced {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t count;
  std::int32_t stride;
};

v1::Group groupOf(std::uint32_t size, std::initializer_list<Range> ranges) {
  v1::Group group;
  group.set_size(size);
  for (const Range& range : ranges) {
    v1::RankRange& member = *group.add_member();
    member.set_first(range.first);
    member.set_count(range.count);
    member.set_stride(range.stride);
  }
  return group;
}

std::vector<std::uint32_t> ranksOf(const RankList& list) {
  std::vector<std::uint32_t> ranks;
  list.forEach([&](std::uint32_t rank) { ranks.push_back(rank); });
  return ranks;
}

TEST(RankListTest, UnfoldsRangesInOrder) {
  const auto list = RankList::fromGroup(groupOf(5, {{8, 3, -4}, {1, 2, 6}}));
  ASSERT_TRUE(list);
  EXPECT_EQ(ranksOf(*list), (std::vector<std::uint32_t>{8, 4, 0, 1, 7}));
  EXPECT_EQ(list->at(3), 1u);
  EXPECT_EQ(list->at(5), std::nullopt);
}

TEST(RankListTest, HowTheRangesWereCutDoesNotMatter) {
  const std::vector<std::uint32_t> ranks = {0, 1, 2, 3, 7, 9, 11, 12, 5};
  const RankList expected = RankList::fromRanks(ranks);
  for (const auto& group :
       {groupOf(9, {{0, 4, 1}, {7, 3, 2}, {12, 2, -7}}),
        groupOf(9, {{0, 2, 1}, {2, 2, 1}, {7, 1, 5}, {9, 2, 2}, {12, 2, -7}}),
        groupOf(9, {{0, 1, 0}, {1, 3, 1}, {7, 2, 2}, {11, 2, 1}, {5, 1, 3}})}) {
    const auto list = RankList::fromGroup(group);
    ASSERT_TRUE(list);
    EXPECT_EQ(ranksOf(*list), ranks);
    EXPECT_TRUE(*list == expected) << list->text();
    EXPECT_EQ(absl::HashOf(*list), absl::HashOf(expected));
  }
}

TEST(RankListTest, OrderMatters) {
  EXPECT_FALSE(RankList::fromRanks({0, 1}) == RankList::fromRanks({1, 0}));
}

TEST(RankListTest, RefusesAbsurdRanges) {
  const auto max = std::numeric_limits<std::uint32_t>::max();
  EXPECT_FALSE(RankList::fromGroup(groupOf(3, {{0, 2, 1}})));
  EXPECT_FALSE(RankList::fromGroup(groupOf(3, {{0, 4, 1}})));
  EXPECT_FALSE(RankList::fromGroup(groupOf(2, {{0, 2, -1}})));
  EXPECT_FALSE(RankList::fromGroup(groupOf(2, {{max, 2, 1}})));
  EXPECT_FALSE(RankList::fromGroup(groupOf(max, {{0, max, 1}})));
  EXPECT_FALSE(RankList::fromGroup(groupOf(0, {{0, 0, 1}})));
  EXPECT_FALSE(RankList::fromGroup(
      groupOf(2, {{0, max, 2147483647}, {0, max, 2147483647}})));
}

TEST(RankListTest, AMillionRanksAreOneRange) {
  const auto list = RankList::fromGroup(groupOf(1 << 24, {{0, 1 << 24, 1}}));
  ASSERT_TRUE(list);
  EXPECT_EQ(list->text(), "0-16777215");
}

TEST(RankListTest, TextIsShort) {
  EXPECT_EQ(RankList::fromRanks({}).text(), "");
  EXPECT_EQ(RankList::fromRanks({0, 1, 2, 8, 10, 12, 3}).text(),
            "0-2,8-12/2,3");
  EXPECT_EQ(RankList::fromRanks({0, 5, 1, 9, 4}).text(1), "0,5,...");
}

}  // namespace
}  // namespace traced
