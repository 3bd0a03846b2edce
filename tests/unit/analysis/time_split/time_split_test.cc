#include "analysis/time_split/time_split.h"

#include <gtest/gtest.h>

#include <limits>

#include "analysis/report/report.h"
#include "analysis/report/report_builder.h"
#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced {
namespace {

using testing::StreamBuilder;

constexpr std::int64_t kUs = 1'000;

// Three ranks on one host.
class TimeSplitTest : public ::testing::Test {
 protected:
  TimeSplitTest() {
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      StreamBuilder& stream = streams_.emplace_back(rank, 3);
      stream.addGroup("dp", 0, 3).set_group_rank(rank);
      stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 1'000'000, 1'000'000);
      stream.addCall(v1::OPERATION_BROADCAST, 1, 64, 64).set_root_plus_1(3);
    }
  }

  // Rank `rank` issues at `issue_us` and ends at `end_us`.
  void add(std::uint32_t rank, std::uint64_t seq, std::int64_t issue_us,
           std::int64_t end_us, std::uint32_t call = 1) {
    streams_[rank].addOperation(seq, StreamBuilder::kIssueNs + issue_us * kUs,
                                call, seq, (end_us - issue_us) * kUs);
  }

  // Adds 20 reduces to rank 2. One rank joins all of them a millisecond late.
  void addReduces(std::uint32_t late) {
    for (StreamBuilder& stream : streams_) {
      stream.addCall(v1::OPERATION_REDUCE, 1, 64, 64).set_root_plus_1(3);
    }
    for (std::int64_t i = 0; i < 20; ++i) {
      for (std::uint32_t rank = 0; rank < 3; ++rank) {
        add(rank, static_cast<std::uint64_t>(i) + 1,
            i * 3'000 + (rank == late ? 1'000 : rank), i * 3'000 + 1'100, 3);
      }
    }
  }

  Report report(std::vector<ReportKey> by = {ReportKey::kRank}) {
    for (StreamBuilder& stream : streams_) {
      testing::writeFile(dir_.path() + "/" + std::to_string(stream.streamId()),
                         stream.takeChunk(true));
    }
    const auto set = openTraceSet({dir_.path()});
    EXPECT_TRUE(set);
    Report report = buildReport(*set, std::move(by));
    sortRows(report, ReportOrder::kName);
    return report;
  }

  testing::TempDir dir_;
  std::vector<StreamBuilder> streams_;
};

TEST_F(TimeSplitTest, TheLastToBeReadyEndsTheWaitOfTheOthers) {
  add(0, 1, 0, 1'500);
  add(1, 1, 400, 1'500);
  add(2, 1, 1'000, 1'600);
  const Report by_rank = report();
  const auto wait = [&](std::size_t rank) {
    return by_rank.rows[rank].totals.split.wait_for_peers.total_ns;
  };
  EXPECT_EQ(wait(0), 1'000u * kUs);
  EXPECT_EQ(wait(1), 600u * kUs);
  EXPECT_EQ(wait(2), 0u);
  EXPECT_EQ(by_rank.rows[0].totals.split.transfer.total_ns, 500u * kUs);
  EXPECT_EQ(by_rank.rows[2].totals.split.transfer.total_ns, 600u * kUs);
  EXPECT_EQ(by_rank.rows[2].totals.split.last.count, 1u);
  EXPECT_EQ(by_rank.rows[2].totals.split.last.total_ns, 600u * kUs);
  EXPECT_EQ(by_rank.rows[0].totals.split.last.count, 0u);
  EXPECT_EQ(by_rank.rows[0].totals.split.ready_times, 1u);
  // 4/3 of 1 MB in 500 us, within the width of a bucket.
  EXPECT_NEAR(*by_rank.rows[0].split.transferBusbwGbs(), 2.667, 0.02);
  EXPECT_NEAR(*by_rank.rows[0].split.readyBusbwGbs(), 0.889, 0.01);
}

// Rank 0 had ended before the others called: the group connects other ranks.
TEST_F(TimeSplitTest, ACallAfterTheEndIsNotWaitedFor) {
  add(0, 1, 0, 100);
  add(1, 1, 400, 1'500);
  add(2, 1, 1'000, 1'600);
  const Report by_rank = report();
  EXPECT_EQ(by_rank.rows[0].totals.split.wait_for_peers.count, 0u);
  EXPECT_EQ(by_rank.rows[1].totals.split.wait_for_peers.total_ns, 600u * kUs);
}

// Only a damaged record contains such a time.
TEST_F(TimeSplitTest, ATimeThatCannotBeIsOfOneOperation) {
  constexpr auto kNever = std::numeric_limits<std::int64_t>::min() + 1;
  streams_[0].addOperation(1, kNever, 1, 1, 10);
  add(0, 2, 0, 1'500);
  add(1, 2, 400, 1'500);
  add(2, 2, 1'000, 1'600);
  const Report by_rank = report();
  EXPECT_EQ(by_rank.rows[0].totals.split.wait_for_peers.total_ns, 1'000u * kUs);
  EXPECT_EQ(by_rank.rows[2].totals.split.last.count, 1u);
}

TEST_F(TimeSplitTest, OnlyTheRootOfABroadcastIsWaitedFor) {
  add(0, 1, 0, 700, 2);
  add(1, 1, 900, 1'000, 2);
  add(2, 1, 300, 650, 2);
  const Report by_rank = report();
  EXPECT_EQ(by_rank.rows[0].totals.split.wait_for_peers.total_ns, 300u * kUs);
  EXPECT_EQ(by_rank.rows[0].totals.split.transfer.total_ns, 400u * kUs);
  EXPECT_EQ(by_rank.rows[1].totals.split.wait_for_peers.total_ns, 0u);
  // The root depends on no rank, and lateness needs an operation in which all
  // wait.
  EXPECT_EQ(by_rank.rows[2].totals.split.wait_for_peers.count, 0u);
  EXPECT_EQ(by_rank.rows[2].totals.split.transfer.total_ns, 350u * kUs);
  EXPECT_EQ(by_rank.all.split.ready_times, 0u);
}

// The root's part may reach rank 0 through rank 1.
TEST_F(TimeSplitTest, ARankThatForwardsABroadcastMayBeWaitedForToo) {
  add(0, 1, 0, 450, 2);
  add(1, 1, 400, 440, 2);
  add(2, 1, 0, 50, 2);
  const Report by_rank = report();
  const SplitSums& behind = by_rank.rows[0].totals.split;
  EXPECT_EQ(behind.wait_for_peers.total_ns, 0u);
  EXPECT_EQ(behind.wait_uncertain_ns, 400u * kUs);
  EXPECT_EQ(behind.transfer.count, 0u);
  EXPECT_EQ(behind.withheld, 1u);
  EXPECT_EQ(by_rank.rows[1].totals.split.transfer.total_ns, 40u * kUs);
  // It had ended before that rank joined.
  EXPECT_EQ(by_rank.rows[2].totals.split.transfer.total_ns, 50u * kUs);
}

// The first message is taken at once, the second one at any time.
TEST_F(TimeSplitTest, ASendMayWaitForItsReceiver) {
  for (const std::uint32_t rank : {0u, 1u}) {
    v1::Call& message = streams_[rank].addCall(
        rank == 0 ? v1::OPERATION_SEND : v1::OPERATION_RECV, 1,
        rank == 0 ? 1'000'000 : 0, rank == 0 ? 0 : 1'000'000);
    message.set_peer_plus_1(2 - rank);
    message.set_peer_global_plus_1(2 - rank);
  }
  add(0, 1, 0, 500, 3);
  add(1, 1, 0, 500, 3);
  add(0, 2, 1'000, 1'900, 3);
  add(1, 2, 1'800, 2'000, 3);
  const Report by_rank = report();
  const SplitSums& sends = by_rank.rows[0].totals.split;
  EXPECT_EQ(sends.transfer.count, 1u);
  EXPECT_EQ(sends.transfer.total_ns, 500u * kUs);
  EXPECT_EQ(sends.withheld, 1u);
  EXPECT_EQ(sends.wait_for_peers.total_ns, 0u);
  EXPECT_EQ(sends.wait_uncertain_ns, 800u * kUs);
  EXPECT_EQ(by_rank.rows[1].totals.split.transfer.total_ns, 700u * kUs);
}

// Rank 1's first end was reported late, so the last rank of the second
// operation is unknown.
TEST_F(TimeSplitTest, AnEndThatAFutureReportedLeavesTheNextOneOpen) {
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    const std::int64_t reported_us = rank == 1 ? 900 : 100;
    for (const std::int64_t seq : {1, 2, 3}) {
      const auto id = static_cast<std::uint64_t>(seq);
      const std::int64_t at = StreamBuilder::kIssueNs + seq * 10 * kUs;
      streams_[rank].add(
          IssueRow{.op = id, .issue_ns = at, .call = 1, .seq = id});
      streams_[rank].add(DoneRow{.op = id,
                                 .end_ns = at + (reported_us + seq) * kUs,
                                 .source = v1::END_SOURCE_FUTURE});
    }
  }
  const Report by_rank = report();
  EXPECT_EQ(by_rank.all.split.ready_times, 6u);
  EXPECT_GE(by_rank.all.split.wait_uncertain_ns, 800u * kUs);
  const CertifiedTime transfer = by_rank.rows[0].split.transfer().p50();
  EXPECT_EQ(transfer.low_ns, 0);
  EXPECT_GT(transfer.high_ns, 0);
}

// All ends of rank 0 were reported late. It may have been ready for the next
// operation long before rank 1, which may pass the data on.
TEST_F(TimeSplitTest, ALateReportedRankMayHaveWaitedForTheForwarder) {
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    for (const std::int64_t seq : {1, 2, 3, 4, 5, 6, 7}) {
      const auto id = static_cast<std::uint64_t>(seq);
      const bool late = rank == 1 && seq > 2;
      const std::int64_t at =
          StreamBuilder::kIssueNs + (seq * 10 + (late ? 300 : 0)) * kUs;
      const std::int64_t reported_us = rank == 0 ? 900 + seq : 1;
      streams_[rank].add(
          IssueRow{.op = id, .issue_ns = at, .call = 2, .seq = id});
      streams_[rank].add(DoneRow{.op = id,
                                 .end_ns = at + reported_us * kUs,
                                 .source = v1::END_SOURCE_FUTURE});
    }
  }
  const Report by_rank = report();
  const CertifiedTime wait = by_rank.rows[0].split.waitForPeers().p50();
  EXPECT_EQ(wait.ns, 0);
  EXPECT_GE(wait.high_ns, 300 * kUs);
}

// One on the clock of the time line, and one on a clock known to 100 ns.
TEST(LastReadyTest, BetweenClocksIsAsLateAsIsCertain) {
  ReadyTable::Row row;
  row.joined = 2;
  row.last = {1'000, 1'000, {1'000, 1'000}, 0, 0};
  row.before_last = {990, 5'990, {890, 1'090}, 1, 0};
  for (LatestByClock* of : {&row.earliest, &row.latest_by_clock}) {
    of->add(1'000, 1'000, 0);
    of->add(5'990, of == &row.earliest ? 890 : 1'090, 1);
  }
  EXPECT_FALSE(row.isLastCertain());
  const auto after = [&](const CommonInstant& instant) {
    const CertifiedTime time = row.lastAfter(instant);
    return std::vector<std::int64_t>{time.low_ns, time.ns, time.high_ns};
  };
  using Times = std::vector<std::int64_t>;
  EXPECT_EQ(after({500, 500, {500, 500}, 0, 0}), (Times{500, 500, 590}));
  // On the same clock, 590 ns before the other one is exact.
  EXPECT_EQ(after({400, 5'400, {300, 500}, 1, 0}), (Times{590, 600, 700}));
  // A third clock.
  EXPECT_EQ(after({500, 8'500, {400, 600}, 2, 0}), (Times{400, 500, 690}));
}

TEST_F(TimeSplitTest, WithoutAllRanksNoneIsTheLast) {
  add(0, 1, 0, 1'500);
  add(1, 1, 400, 1'500);
  const Report by_rank = report();
  EXPECT_EQ(by_rank.all.split.wait_for_peers.count, 0u);
  EXPECT_EQ(by_rank.all.split.transfer.count, 0u);
  EXPECT_EQ(by_rank.all.split.ready_times, 0u);
  EXPECT_EQ(by_rank.all.split.withheld, 2u);
}

TEST_F(TimeSplitTest, WithoutAlignedClocksHostsAreNotCompared) {
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    streams_[rank].header().set_boot_id("boot " + std::to_string(rank));
    add(rank, 1, 100 * rank, 1'000, 2);  // a broadcast bounds one side only
  }
  const Report by_rank = report();
  EXPECT_EQ(by_rank.clocks.by_wall_clock, 2u);
  EXPECT_EQ(by_rank.all.split.wait_for_peers.count, 0u);
  EXPECT_EQ(by_rank.summary.clockWarnings().size(), 2u);
}

TEST_F(TimeSplitTest, ADelayWithinTheCertifiedIntervalIsNoLateness) {
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    streams_[rank].header().set_boot_id("boot " + std::to_string(rank));
    for (std::int64_t i = 0; i < 50; ++i) {
      // 5 us apart, in operations of a millisecond.
      add(rank, static_cast<std::uint64_t>(i) + 1, i * 2'000 + 5 * rank,
          i * 2'000 + 1'000);
    }
  }
  const Report by_rank = report();
  ASSERT_TRUE(by_rank.clocks.certified);
  EXPECT_GT(by_rank.clocks.certified->within_ns, 500u * kUs);
  EXPECT_EQ(by_rank.all.split.wait_for_peers.count, 150u);
  EXPECT_FALSE(isSurelyNotZero(by_rank.rows[0].split.waitForPeers().p50()));
  EXPECT_EQ(by_rank.all.split.ready_times, 0u);
  EXPECT_FALSE(latestOf(by_rank));
}

TEST_F(TimeSplitTest, TheRankThatIsLateMostOftenIsNamed) {
  for (std::int64_t i = 0; i < 20; ++i) {
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      const bool late = rank == (i % 5 == 0 ? 0u : 1u);
      add(rank, static_cast<std::uint64_t>(i) + 1,
          i * 3'000 + (late ? 1'000 : rank), i * 3'000 + 1'100);
    }
  }
  const Report by_op = report({ReportKey::kOp});
  const auto latest = latestOf(by_op);
  ASSERT_TRUE(latest);
  EXPECT_EQ(latest->rank, 1u);
  EXPECT_DOUBLE_EQ(latest->part, 0.8);
  EXPECT_NEAR(static_cast<double>(latest->behind_p50_ns), 998.0 * kUs,
              8.0 * kUs);
}

// Rank 1 receives the late root's part last, and so is last in the next
// operation.
TEST_F(TimeSplitTest, TheSlowRootOfABroadcastIsNamedAndNotWhoGetsItLast) {
  for (std::int64_t i = 0; i < 20; ++i) {
    const std::int64_t at_us = i * 20'000;
    const auto seq = static_cast<std::uint64_t>(2 * i) + 1;
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      const std::int64_t got_us = at_us + 10'100 + (rank == 1 ? 200 : rank);
      add(rank, seq, at_us + (rank == 2 ? 10'000 : rank), got_us, 2);
      add(rank, seq + 1, got_us + 1, at_us + 10'500);
    }
  }
  const Report by_op = report({ReportKey::kOp});
  const auto latest = latestOf(by_op);
  ASSERT_TRUE(latest);
  EXPECT_EQ(latest->rank, 2u);
  EXPECT_EQ(by_op.rows[latest->row].keys[0], "broadcast");
  EXPECT_DOUBLE_EQ(latest->part, 1);
  EXPECT_NEAR(static_cast<double>(latest->behind_p50_ns), 9'999.0 * kUs,
              80.0 * kUs);
}

TEST_F(TimeSplitTest, InAReduceALateRankThatIsNotTheRootIsNamed) {
  addReduces(0);
  const auto latest = latestOf(report({ReportKey::kOp}));
  ASSERT_TRUE(latest);
  EXPECT_EQ(latest->rank, 0u);
}

TEST_F(TimeSplitTest, NoRankWaitsForTheLateRootOfAReduce) {
  addReduces(2);
  EXPECT_FALSE(latestOf(report({ReportKey::kOp})));
}

TEST_F(TimeSplitTest, RanksThatAreLateInTurnAreNotNamed) {
  for (std::int64_t i = 0; i < 60; ++i) {
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      const bool late = rank == static_cast<std::uint32_t>(i % 3);
      add(rank, static_cast<std::uint64_t>(i) + 1,
          i * 3'000 + (late ? 1'000 : rank), i * 3'000 + 1'100);
    }
  }
  EXPECT_FALSE(latestOf(report({ReportKey::kOp})));
}

TEST_F(TimeSplitTest, ReportsWhenTransfersBecameSlower) {
  for (std::int64_t i = 0; i < 400; ++i) {
    const std::int64_t transfer_us = i < 200 ? 100 : 180;
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      add(rank, static_cast<std::uint64_t>(i) + 1, i * 1'000,
          i * 1'000 + transfer_us + (i % 7));
    }
  }
  const Report by_op = report({ReportKey::kOp});
  const auto change = by_op.rows[0].split.transferDegraded();
  ASSERT_TRUE(change);
  EXPECT_EQ(change->since, 8u);
  EXPECT_NEAR(static_cast<double>(change->before_ns), 103e3, 2e3);
  EXPECT_NEAR(static_cast<double>(change->after_ns), 183e3, 2e3);
  EXPECT_FALSE(by_op.rows[0].split.waitDegraded());
}

}  // namespace
}  // namespace traced
