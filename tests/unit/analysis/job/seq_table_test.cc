#include "analysis/job/seq_table.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>

namespace traced {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

TEST(SeqTableTest, AValueIsMadeOnceAndThenFound) {
  SeqTable<int> table;
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table.find(7), nullptr);
  EXPECT_EQ(table.at(7), 0);
  table.at(7) = 70;
  table.at(8) = 80;
  EXPECT_EQ(table.at(7), 70);
  ASSERT_NE(table.find(8), nullptr);
  EXPECT_EQ(*table.find(8), 80);
  EXPECT_EQ(table.find(6), nullptr);
  EXPECT_EQ(table.find(9), nullptr);
  EXPECT_EQ(table.first(), 7U);
}

TEST(SeqTableTest, GreatAndSmallNumbersAreApart) {
  SeqTable<int> table;
  for (const std::uint64_t seq : {kMax, std::uint64_t{0}, kMax - 1}) {
    table.at(seq) = static_cast<int>(seq & 7);
  }
  EXPECT_EQ(table.first(), 0U);
  EXPECT_EQ(*table.find(kMax), 7);
  EXPECT_EQ(*table.find(kMax - 1), 6);
  EXPECT_EQ(table.find(kMax - 2), nullptr);
}

TEST(SeqTableTest, EqualsAMap) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  SeqTable<int> table;
  std::map<std::uint64_t, int> expected;
  for (int i = 0; i < 2000; ++i) {
    std::uint64_t seq = random() % 300;
    for (unsigned more = random() % 5; more > 0; --more, ++seq) {
      const int value = static_cast<int>(random());
      EXPECT_EQ(table.at(seq), expected[seq]) << seq;
      table.at(seq) = expected[seq] = value;
    }
  }
  SeqTable<int> moved = std::move(table);
  moved.at(400) = expected[400] = 4;
  auto next = expected.begin();
  moved.forEach([&](std::uint64_t seq, int value) {
    ASSERT_NE(next, expected.end());
    EXPECT_EQ(seq, next->first);
    EXPECT_EQ(value, next->second);
    ++next;
  });
  EXPECT_EQ(next, expected.end());
}

}  // namespace
}  // namespace traced
