#include <gtest/gtest.h>

#include "cli/common/named_filters.h"

namespace traced {
namespace {

TEST(RankSetTest, UnderstandsRanksAndRanges) {
  const auto ranks = parseRanks("0-2,5");
  ASSERT_TRUE(ranks);
  EXPECT_EQ(*ranks, (absl::flat_hash_set<std::uint32_t>{0, 1, 2, 5}));
  EXPECT_EQ(*parseRanks("1-6/2"),
            (absl::flat_hash_set<std::uint32_t>{1, 3, 5}));
}

TEST(RankSetTest, RefusesInvalidRanks) {
  for (const char* text : {"", "a", "1-", "-1", "3-1", "1,,2", "0-4294967295",
                           "0-4/0", "0-4/", "0-4/x"}) {
    EXPECT_FALSE(parseRanks(text)) << text;
  }
}

}  // namespace
}  // namespace traced
