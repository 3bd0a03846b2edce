// Tests when links between ranks are reported as slow while a job runs, and
// when they recover.

#include "analysis/live/live_links.h"

#include <gmock/gmock.h>

namespace traced {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kSecond = 1000 * kMillisecond;

// Each of four ranks sends to the next, 20 times a second.
class LiveLinksTest : public ::testing::Test {
 protected:
  LiveLinksTest() {
    call_.set_bytes_in(65536);
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      StreamTable table;
      table.header.set_rank(rank);
      MatchedCall matched;
      matched.key.source = (rank + kRanks - 1) % kRanks;
      matched.key.destination = rank;
      places_[rank] =
          links_.linksOf(table, call_, matched, RankList::fromRanks({0, 1}));
    }
  }

  // Runs for `for_ns`. Messages to rank 2 take `slow_ns`, all others 1 ms.
  void run(std::int64_t for_ns, std::int64_t slow_ns, bool starved = false,
           std::int64_t every_ns = 50 * kMillisecond) {
    const std::int64_t end_ns = now_ns_ + for_ns;
    for (; now_ns_ < end_ns; now_ns_ += every_ns) {
      ++seq_;
      for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
        const std::int64_t ns = rank == 2 ? slow_ns : kMillisecond;
        LiveLinks::add(places_[rank], seq_, {now_ns_, ns, ns});
      }
      links_.update(now_ns_, starved);
    }
  }

  static constexpr std::uint32_t kRanks = 4;
  LiveLinks links_;
  v1::Call call_;
  std::vector<LiveLinks::LinkIndex> places_[kRanks];
  std::int64_t now_ns_ = 1000 * kSecond;
  std::uint64_t seq_ = 1;
};

TEST_F(LiveLinksTest, OneThatStaysSlowIsReportedUntilItIsQuick) {
  run(40 * kSecond, kMillisecond);
  EXPECT_THAT(links_.slow(), IsEmpty());
  run(18 * kSecond, 20 * kMillisecond);
  ASSERT_EQ(links_.slow().size(), 1u);
  const LiveLinks::Slow& slow = links_.slow().front();
  EXPECT_THAT(slow.ranks, ElementsAre(1, 2));
  EXPECT_EQ(slow.worst.link, SlowTransfers::Link::kPairs);
  EXPECT_EQ(slow.worst.what, "64 KiB");
  EXPECT_THAT(slow.worst.ranks, ElementsAre(1, 2));
  EXPECT_EQ(slow.worst.median_ns, 20 * kMillisecond);
  EXPECT_EQ(slow.worst.others_ns, kMillisecond);
  EXPECT_NEAR(slow.of_time, 0.38, 0.02);
  run(10 * kSecond, kMillisecond);
  EXPECT_THAT(links_.slow(), IsEmpty());
}

TEST_F(LiveLinksTest, OneThatIsSlowForAMomentIsNotReported) {
  run(30 * kSecond, kMillisecond);
  run(7 * kSecond, 20 * kMillisecond);
  EXPECT_THAT(links_.slow(), IsEmpty());
}

TEST_F(LiveLinksTest, NothingIsReportedForAStarvedMachine) {
  run(18 * kSecond, 20 * kMillisecond);
  EXPECT_EQ(links_.slow().size(), 1u);
  run(kSecond, 20 * kMillisecond, true);
  EXPECT_THAT(links_.slow(), IsEmpty());
  run(9 * kSecond, 20 * kMillisecond);
  EXPECT_THAT(links_.slow(), IsEmpty()) << "what was seen counts for nothing";
  run(9 * kSecond, 20 * kMillisecond);
  EXPECT_EQ(links_.slow().size(), 1u);
}

TEST_F(LiveLinksTest, SamplesManyTransfers) {
  run(60 * kSecond, 3 * kMillisecond, false, 5 * kMillisecond);
  ASSERT_EQ(links_.slow().size(), 1u);
  EXPECT_NEAR(links_.slow().front().of_time, 0.4, 0.05);
}

TEST(LiveLinksOfCollectivesTest, AreThoseOfRanksAndOfGroups) {
  LiveLinks links;
  v1::Call call;
  call.set_op(v1::OPERATION_ALL_REDUCE);
  call.set_bytes_in(1024);
  call.set_bytes_out(1024);
  const auto linksOn = [&](std::uint32_t rank) {
    StreamTable table;
    table.header.set_rank(rank);
    return links
        .linksOf(table, call, MatchedCall(), RankList::fromRanks({4, 5}))
        .size();
  };
  EXPECT_EQ(linksOn(4), 2u) << "the first member tells of its group, too";
  EXPECT_EQ(linksOn(5), 1u);
  // Its parts differ in size.
  call.set_op(v1::OPERATION_ALL_TO_ALL_SINGLE);
  EXPECT_EQ(linksOn(4), 0u);
}

}  // namespace
}  // namespace traced
