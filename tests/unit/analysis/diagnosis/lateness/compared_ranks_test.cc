#include "analysis/diagnosis/lateness/compared_ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace traced {
namespace {

class ComparedRanksTest : public ::testing::Test {
 protected:
  ComparedRanksTest() {
    for (std::uint32_t rank = 0; rank < 256; ++rank) {
      job_.ranks.emplace_back().rank = rank;
    }
    late_ = {7, 100, {{0, 100}, {200, 300}}};
    verdict_.late = {late_};
  }
  std::vector<std::uint32_t> compared() const {
    return ranksOnTime(job_, verdict_, late_, CoveredWindows(late_.windows));
  }
  bool isCompared(std::uint32_t rank) const {
    const std::vector<std::uint32_t> ranks = compared();
    return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
  }

  JobState job_;
  JobVerdict verdict_;
  LateTimes late_;
};

TEST_F(ComparedRanksTest, AreOfAllPlacesInAHost) {
  EXPECT_EQ(compared().size(), kMaxCompared);
  EXPECT_FALSE(isCompared(7));
  std::set<std::uint32_t> places;
  for (const std::uint32_t rank : compared()) places.insert(rank % 8);
  EXPECT_EQ(places.size(), 8u);
}

TEST_F(ComparedRanksTest, AreOnTime) {
  job_.ranks.resize(20);
  EXPECT_TRUE(isCompared(3));
  verdict_.also_late = {{3, 50, {{150, 240}}}};
  EXPECT_TRUE(isCompared(3)) << "40 of 200 ns are on time";
  verdict_.also_late = {{3, 50, {{150, 241}}}};
  EXPECT_FALSE(isCompared(3));
  verdict_.late.push_back({4, 50, {{0, 100}}});
  EXPECT_FALSE(isCompared(4));
}

}  // namespace
}  // namespace traced
