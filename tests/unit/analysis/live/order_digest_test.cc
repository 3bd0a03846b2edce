// Tests the digests of call order that hosts exchange.

#include "analysis/live/order_digest.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

constexpr std::uint32_t kGroup = 3;

// A host whose ranks call 1..last; the call with number `odd` differs.
OrderWatch hostWith(std::uint64_t last, std::uint64_t odd = 0,
                    std::uint64_t first = 1) {
  OrderWatch watch;
  for (std::uint64_t seq = first; seq <= last; ++seq) {
    watch.addCall(kGroup, seq, seq == odd ? 99 : seq % 7);
  }
  return watch;
}

OrderDifference difference(const OrderWatch& here, const OrderWatch& there,
                           std::optional<std::uint64_t> spelled = {}) {
  return orderDifference(here, kGroup, orderDigest(there, kGroup, spelled));
}

TEST(OrderDigestTest, HostsThatCallTheSameDoNotDiffer) {
  for (const std::uint64_t last : {0U, 1U, 63U, 64U, 65U, 1000U, 9000U}) {
    const OrderDifference found =
        difference(hostWith(1000), hostWith(last), std::uint64_t{3});
    EXPECT_FALSE(found.seq) << last;
    EXPECT_FALSE(found.block) << last;
  }
}

TEST(OrderDigestTest, ALateNumberIsFoundAtOnce) {
  for (const std::uint64_t odd : {873U, 950U, 1000U}) {
    EXPECT_EQ(difference(hostWith(1000, odd), hostWith(1000)).seq, odd);
    EXPECT_EQ(difference(hostWith(1000), hostWith(1000, odd)).seq, odd);
  }
  EXPECT_EQ(difference(hostWith(1), hostWith(1, 1)).seq, 1U);
}

TEST(OrderDigestTest, AnEarlyNumberIsFoundOnceItsBlockIsSpelled) {
  const OrderWatch here = hostWith(3000), there = hostWith(3000, 130);
  const OrderDifference seen = difference(here, there);
  EXPECT_FALSE(seen.seq);
  EXPECT_EQ(seen.block, 130 / kOrderBlock);
  const OrderDifference known = difference(here, there, seen.block);
  EXPECT_EQ(known.seq, 130U);
  EXPECT_FALSE(known.block);
}

TEST(OrderDigestTest, TheFirstBlockThatDiffersCounts) {
  OrderWatch there;
  for (std::uint64_t seq = 1; seq <= 3000; ++seq) {
    there.addCall(kGroup, seq, seq >= 200 ? (seq + 1) % 7 : seq % 7);
  }
  const OrderWatch here = hostWith(3000);
  EXPECT_EQ(difference(here, there).block, 200 / kOrderBlock);
  const OrderDifference known = difference(here, there, 200 / kOrderBlock);
  EXPECT_EQ(known.seq, 200U);
  EXPECT_FALSE(known.block);
}

TEST(OrderDigestTest, UnknownCallsDoNotDiffer) {
  // It began to watch in the middle of a block, and is behind.
  const OrderDifference found =
      difference(hostWith(3000), hostWith(2000, 0, 1000), 1000 / kOrderBlock);
  EXPECT_FALSE(found.seq);
  EXPECT_FALSE(found.block);
  EXPECT_FALSE(difference(hostWith(3000, 5), OrderWatch()).seq);
  EXPECT_FALSE(difference(OrderWatch(), hostWith(3000, 5)).seq);
}

TEST(OrderDigestTest, ADigestIsSmall) {
  EXPECT_LE(orderDigest(hostWith(100'000), kGroup, 7).ByteSizeLong(), 1100U);
}

TEST(OrderDigestTest, InvalidDigestsShowNoFalseDifference) {
  const OrderWatch watch = hostWith(100);
  v1::OrderDigest digest;
  digest.set_newest(~std::uint64_t{0});
  digest.set_spelled_block_plus_1(~std::uint64_t{0});
  for (int i = 0; i < 64; ++i) {
    digest.add_latest(1);
    digest.add_blocks(1);
    digest.add_spelled(1);
  }
  EXPECT_FALSE(orderDifference(watch, kGroup, digest).seq);
  digest.set_newest(3);
  // Numbers below 1 are invalid.
  digest.set_spelled_block_plus_1(0);
  EXPECT_EQ(orderDifference(watch, kGroup, digest).seq, 2U);
}

}  // namespace
}  // namespace traced
