// Tests ranks that call different operations under one number.

#include "analysis/live/order_watch.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

TEST(OrderWatchTest, RanksThatCallTheSameHaveNotDiverged) {
  OrderWatch watch;
  for (std::uint64_t seq = 1; seq < 3 * OrderWatch::kWindow; ++seq) {
    for (int rank = 0; rank < 3; ++rank) {
      EXPECT_FALSE(watch.addCall(0, seq, seq % 7));
    }
  }
  EXPECT_TRUE(watch.divergences().empty());
}

TEST(OrderWatchTest, TheFirstNumberAtWhichTheyDifferIsReported) {
  OrderWatch watch;
  EXPECT_FALSE(watch.addCall(3, 1, 10));
  EXPECT_FALSE(watch.addCall(3, 2, 20));
  EXPECT_FALSE(watch.addCall(3, 1, 10));
  EXPECT_TRUE(watch.addCall(3, 2, 21));
  watch.add(3, 2, {1, 21, "", ""});
  watch.add(3, 2, {0, 20, "", ""});
  watch.add(3, 2, {0, 20, "", ""});
  ASSERT_EQ(watch.divergences().size(), 1U);
  EXPECT_EQ(watch.divergences()[0].seq, 2U);
  EXPECT_EQ(watch.divergences()[0].parts.size(), 2U);
  // Later differences in that group are consequences. Other groups of that
  // number count.
  EXPECT_FALSE(watch.addCall(3, 3, 30));
  EXPECT_FALSE(watch.addCall(3, 3, 31));
  EXPECT_TRUE(watch.addCall(3, 2, 20));
  // Other groups are still watched.
  EXPECT_FALSE(watch.addCall(4, 2, 20));
  EXPECT_TRUE(watch.addCall(4, 2, 21));
}

TEST(OrderWatchTest, ARankThatIsFarBehindIsNotCompared) {
  OrderWatch watch;
  EXPECT_FALSE(watch.addCall(0, 1, 10));
  EXPECT_FALSE(watch.addCall(0, 1 + OrderWatch::kWindow, 20));
  EXPECT_FALSE(watch.addCall(0, 1, 11));
}

TEST(OrderWatchTest, ARankThatWasBehindMayDifferEarlier) {
  OrderWatch watch;
  for (const std::uint64_t seq : {1, 2, 3}) watch.addCall(0, seq, 10 * seq);
  EXPECT_TRUE(watch.addCall(0, 3, 31));
  EXPECT_FALSE(watch.addCall(0, 1, 10));
  EXPECT_TRUE(watch.addCall(0, 2, 21));
  ASSERT_EQ(watch.divergences().size(), 1U);
  EXPECT_EQ(watch.divergences()[0].seq, 2U);
  EXPECT_TRUE(watch.divergences()[0].parts.empty());
}

TEST(OrderWatchTest, RanksElsewhereMayDispute) {
  OrderWatch watch;
  for (const std::uint64_t seq : {1, 2, 3}) watch.addCall(0, seq, 10 * seq);
  EXPECT_FALSE(watch.dispute(0, 4)) << "nothing of it is known here";
  EXPECT_FALSE(watch.dispute(7, 1));
  EXPECT_TRUE(watch.dispute(0, 3));
  EXPECT_FALSE(watch.dispute(0, 3));
  EXPECT_TRUE(watch.dispute(0, 2));
  EXPECT_FALSE(watch.dispute(0, 3));
  ASSERT_EQ(watch.divergences().size(), 1U);
  EXPECT_EQ(watch.divergences()[0].seq, 2U);
  EXPECT_TRUE(watch.addCall(0, 2, 20)) << "one more part in it";
}

}  // namespace
}  // namespace traced
