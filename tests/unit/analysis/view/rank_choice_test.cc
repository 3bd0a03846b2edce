#include "analysis/view/rank_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>

namespace traced {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> textsOf(const std::vector<ChosenRank>& chosen) {
  std::vector<std::string> texts;
  for (const ChosenRank& one : chosen) {
    texts.push_back(std::to_string(one.index) + " " + nameOf(one.reason));
  }
  return texts;
}

TEST(RankChoiceTest, TheRankThatWaitsLeastIsTheSlowest) {
  EXPECT_THAT(textsOf(chooseRanks({500, 90, 100, 400, 300}, {})),
              ElementsAre("0 quickest", "1 slowest", "4 median"));
}

TEST(RankChoiceTest, MarksCulprits) {
  EXPECT_THAT(textsOf(chooseRanks({500, 90, 100, 400, 300}, {1, 2})),
              ElementsAre("0 quickest", "1 culprit", "2 culprit", "4 median"));
}

TEST(RankChoiceTest, EachRankIsChosenOnce) {
  EXPECT_THAT(textsOf(chooseRanks({7}, {})), ElementsAre("0 slowest"));
  EXPECT_THAT(textsOf(chooseRanks({}, {})), ElementsAre());
}

TEST(RankChoiceTest, ChoosesTheFirstEightOfManyCulprits) {
  std::vector<std::size_t> culprits(100);
  std::iota(culprits.begin(), culprits.end(), std::size_t{0});
  const auto chosen =
      chooseRanks(std::vector<std::uint64_t>(1000, 5), culprits);
  // And the last and the median of the ranks that wait equally.
  EXPECT_EQ(chosen.size(), 10u);
  EXPECT_EQ(chosen[7].index, 7u);
  EXPECT_EQ(chosen[8].index, 500u);
}

}  // namespace
}  // namespace traced
