// Tests which operations of running ranks are counted, and when.

#include "analysis/live/live_job.h"

#include <gtest/gtest.h>

#include "support/stream_builder.h"

namespace traced {
namespace {

using testing::StreamBuilder;

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kNowNs = 1'000'000 * kMs;

class LiveJobTest : public ::testing::Test {
 protected:
  LiveJobTest() {
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      StreamBuilder builder(rank);
      builder.addGroup("dp", 0, 2).set_backend("gloo");
      builder.addCall(v1::OPERATION_ALL_REDUCE, 1, 1024, 1024)
          .set_device(v1::DEVICE_TYPE_CPU);
      builder.addCall(v1::OPERATION_ALL_GATHER, 1, 1024, 2048)
          .set_device(v1::DEVICE_TYPE_CPU);
      streams_[rank] = &job_.add(builder.header());
      definitions_[rank] = builder.payload();
      v1::Payload payload = definitions_[rank];
      streams_[rank]->define(payload);
    }
  }

  // issue() adds an operation issued at `ns`. end() ends it at `ns` and adds a
  // wait of the last millisecond.
  void issue(std::uint32_t rank, std::uint64_t seq, std::int64_t ns,
             std::uint32_t call = 1) {
    streams_[rank]->add(
        IssueRow{.op = seq, .issue_ns = ns, .call = call, .seq = seq});
    streams_[rank]->add(ReturnRow{.op = seq, .return_ns = ns + kMs / 100});
  }
  void end(std::uint32_t rank, std::uint64_t seq, std::int64_t ns) {
    streams_[rank]->add(
        DoneRow{.op = seq, .end_ns = ns, .source = v1::END_SOURCE_FUTURE});
    streams_[rank]->add(
        WaitRow{.op = seq, .wait_begin_ns = ns - kMs, .wait_ns = kMs});
  }

  const CallTotals& totals() {
    return job_.sums().kinds.at({v1::OPERATION_ALL_REDUCE, 0});
  }

  LiveJob job_;
  LiveStream* streams_[2];
  v1::Payload definitions_[2];
};

TEST_F(LiveJobTest, CountsAndSplitsOperationsThatEndedOnAllRanks) {
  issue(0, 1, kNowNs);
  issue(1, 1, kNowNs + 3 * kMs);
  end(0, 1, kNowNs + 5 * kMs);
  end(1, 1, kNowNs + 5 * kMs);
  job_.count(kNowNs + 6 * kMs);
  EXPECT_EQ(totals().calls, 2U);
  EXPECT_EQ(totals().split.wait_for_peers.total_ns, 3U * kMs);
  EXPECT_EQ(totals().split.transfer.total_ns, 4U * kMs);
  EXPECT_EQ(totals().split.exposed.total_ns, 2U * kMs);
  const LiveSums::Lateness& late = job_.sums().ranks.at(1).lateness;
  EXPECT_EQ(late.last, 1U);
  EXPECT_EQ(late.caused_ns, 3U * kMs);
  EXPECT_TRUE(streams_[0]->table().operations.empty());
  job_.count(kNowNs + 7 * kMs);
  EXPECT_EQ(totals().calls, 2U) << "once";
}

TEST_F(LiveJobTest, AnOperationWaitsForTheOtherRanksPart) {
  issue(0, 1, kNowNs);
  end(0, 1, kNowNs + 5 * kMs);
  job_.count(kNowNs + 6 * kMs);
  EXPECT_TRUE(job_.sums().kinds.empty());
  issue(1, 1, kNowNs + 3 * kMs);
  end(1, 1, kNowNs + 5 * kMs);
  job_.count(kNowNs + 7 * kMs);
  EXPECT_EQ(totals().split.wait_for_peers.total_ns, 3U * kMs);
  // An operation without its counterpart is counted all the same.
  issue(0, 2, kNowNs + 10 * kMs);
  end(0, 2, kNowNs + 11 * kMs);
  job_.count(kNowNs + LiveJob::kLateNs);
  EXPECT_EQ(totals().calls, 2U);
  job_.count(kNowNs + 11 * kMs + LiveJob::kLateNs);
  EXPECT_EQ(totals().calls, 3U);
  EXPECT_EQ(totals().split.withheld, 1U);
}

// Rank 2 runs on another host: its part never arrives here.
TEST_F(LiveJobTest, AnOperationSharedWithAnotherHostDoesNotWaitForIt) {
  v1::Payload payload;
  StreamBuilder builder(0);
  builder.addGroup("dp", 0, 2);
  v1::Group& across = builder.addGroup("across", 0, 2);
  across.mutable_member(0)->set_stride(2);
  builder.addCall(v1::OPERATION_ALL_REDUCE, 2, 1024, 1024);
  payload = builder.payload();
  payload.mutable_call(0)->set_id(3);
  streams_[0]->define(payload);
  issue(0, 1, kNowNs, 3);
  end(0, 1, kNowNs + 5 * kMs);
  job_.count(kNowNs + 6 * kMs);
  EXPECT_EQ(job_.sums().ranks.at(0).totals.calls, 1U);
}

TEST_F(LiveJobTest, AnUnendedOperationDelaysOthersForAWhile) {
  issue(0, 1, kNowNs);
  issue(0, 2, kNowNs + kMs);
  end(0, 2, kNowNs + 2 * kMs);
  job_.count(kNowNs + 3 * kMs);
  EXPECT_TRUE(streams_[0]->settled().empty());
  job_.count(kNowNs + AssembledOperation::kMaxDurationNs + kMs);
  EXPECT_EQ(streams_[0]->settled().size(), 2U);
  // A later end belongs to no operation any more.
  job_.count(kNowNs + LiveJob::kLateNs + 2 * kMs);
  EXPECT_EQ(totals().calls, 2U);
  EXPECT_EQ(totals().ends_unknown, 1U);
  end(0, 1, kNowNs + LiveJob::kLateNs);
  EXPECT_TRUE(streams_[0]->table().operations.empty());
}

// DDP waits for the future of an operation: no record shows that wait.
TEST_F(LiveJobTest, AWaitWithoutARecordIsBoundedWhenTheOperationEnds) {
  v1::Payload payload;
  StreamBuilder builder(0);
  builder.addGroup("dp", 0, 2).set_backend("gloo");
  v1::Call& call = builder.addCall(v1::OPERATION_ALL_REDUCE, 1, 1024, 1024);
  call.set_async(true);
  call.set_device(v1::DEVICE_TYPE_CPU);
  payload = builder.payload();
  payload.mutable_call(0)->set_id(3);
  streams_[0]->define(payload);
  issue(0, 1, kNowNs, 3);
  streams_[0]->add(ReleaseRow{.op = 1, .release_ns = kNowNs + kMs});
  job_.count(kNowNs + 2 * LiveJob::kLateNs);
  const LiveSums::OfRank& rank = job_.sums().ranks.at(0);
  EXPECT_EQ(rank.totals.calls, 1U);
  EXPECT_EQ(rank.totals.waits_unknown, 0U) << "it is in flight";
  EXPECT_EQ(rank.unseen_waits.ns(), 0U);
  streams_[0]->add(DoneRow{.op = 1,
                           .end_ns = kNowNs + 2 * LiveJob::kLateNs + 1,
                           .source = v1::END_SOURCE_FUTURE});
  job_.count(kNowNs + 3 * LiveJob::kLateNs);
  EXPECT_EQ(rank.totals.waits_unknown, 1U);
  EXPECT_EQ(rank.unseen_waits.ns(), 2U * LiveJob::kLateNs + 1 - kMs / 100);
  EXPECT_FALSE(rank.unseen_waits.isOpen());
}

TEST_F(LiveJobTest, AnEndThatAWaitSawMayBeReportedBetterForAWhile) {
  issue(0, 1, kNowNs);
  streams_[0]->add(WaitRow{
      .op = 1, .wait_begin_ns = kNowNs, .wait_ns = 3 * kMs, .saw_end = 1});
  issue(1, 1, kNowNs);
  end(1, 1, kNowNs + 2 * kMs);
  job_.count(kNowNs + 4 * kMs);
  EXPECT_TRUE(streams_[0]->settled().empty());
  streams_[0]->add(DoneRow{
      .op = 1, .end_ns = kNowNs + 2 * kMs, .source = v1::END_SOURCE_FUTURE});
  job_.count(kNowNs + 5 * kMs);
  EXPECT_EQ(totals().completion.total_ns, 4U * kMs);
}

TEST_F(LiveJobTest, RanksThatCallOtherThingsHaveDiverged) {
  issue(0, 1, kNowNs);
  job_.count(kNowNs + kMs);
  EXPECT_TRUE(job_.divergences().empty());
  issue(1, 1, kNowNs, 2);
  job_.count(kNowNs + 2 * kMs);
  ASSERT_EQ(job_.divergences().size(), 1U);
  EXPECT_EQ(job_.divergences()[0].parts.size(), 2U);
}

TEST_F(LiveJobTest, AHungOperationStaysActiveAfterItWasCounted) {
  issue(0, 1, kNowNs);
  job_.count(kNowNs + kMs);
  job_.count(kNowNs + 10 * LiveJob::kLateNs);
  EXPECT_TRUE(streams_[0]->table().operations.empty());
  EXPECT_EQ(job_.members()[0]->lastSeq(0), 1U);
  int open = 0;
  streams_[0]->forEachInFlight([&](const AssembledOperation& op) {
    EXPECT_EQ(op.seq, 1U);
    ++open;
  });
  EXPECT_EQ(open, 1);
  // A rank that joins later and calls something else is compared with it.
  issue(1, 1, kNowNs + 10 * LiveJob::kLateNs, 2);
  job_.count(kNowNs + 10 * LiveJob::kLateNs + kMs);
  ASSERT_EQ(job_.divergences().size(), 1U);
  EXPECT_EQ(job_.divergences()[0].parts.size(), 2U);
  // Its end counts, too.
  end(0, 1, kNowNs + 11 * LiveJob::kLateNs);
  job_.count(kNowNs + 11 * LiveJob::kLateNs);
  streams_[0]->forEachInFlight(
      [](const AssembledOperation&) { ADD_FAILURE(); });
}

TEST_F(LiveJobTest, AReleasedWorkIsInFlightUntilItsEnd) {
  StreamBuilder builder(0);
  builder.addGroup("dp", 0, 2).set_backend("gloo");
  builder.addCall(v1::OPERATION_ALL_REDUCE, 1, 1024, 1024).set_async(true);
  v1::Payload payload = builder.payload();
  payload.mutable_call(0)->set_id(3);
  streams_[0]->define(payload);
  const auto in_flight = [&] {
    int number = 0;
    streams_[0]->forEachInFlight([&](const auto&) { ++number; });
    return number;
  };
  issue(0, 1, kNowNs, 3);
  streams_[0]->add(ReleaseRow{.op = 1, .release_ns = kNowNs + kMs});
  job_.count(kNowNs + 2 * kMs);
  EXPECT_EQ(in_flight(), 1);
  job_.count(kNowNs + 2 * LiveJob::kLateNs);
  EXPECT_EQ(in_flight(), 1);
  EXPECT_FALSE(streams_[0]->mayHaveMoreInFlight());
  streams_[0]->addLoss();
  EXPECT_EQ(in_flight(), 0) << "its end may be what was lost";
}

TEST_F(LiveJobTest, ReportsTheFirstCallerEvenAfterTheEnd) {
  issue(0, 1, kNowNs);
  end(0, 1, kNowNs + kMs);
  job_.count(kNowNs + 2 * kMs);
  job_.count(kNowNs + LiveJob::kLateNs + kMs);
  EXPECT_TRUE(streams_[0]->table().operations.empty());
  issue(1, 1, kNowNs + LiveJob::kLateNs, 2);
  job_.count(kNowNs + LiveJob::kLateNs + 2 * kMs);
  ASSERT_EQ(job_.divergences().size(), 1U);
  EXPECT_EQ(job_.divergences()[0].parts.size(), 2U);
}

TEST_F(LiveJobTest, RequestsMissingDefinitions) {
  LiveJob job;
  StreamBuilder builder(0);
  LiveStream& stream = job.add(builder.header());
  stream.add(IssueRow{.op = 1, .issue_ns = kNowNs, .call = 1, .seq = 1});
  stream.add(IssueRow{.op = 2, .issue_ns = kNowNs, .call = 9, .seq = 2});
  EXPECT_FALSE(stream.knowsAll());
  stream.settle(kNowNs + 2 * AssembledOperation::kMaxDurationNs);
  EXPECT_TRUE(stream.settled().empty()) << "it is not known what they are";
  EXPECT_EQ(stream.unknown().issued().call_size(), 2);
  stream.resolve(definitions_[0]);
  EXPECT_TRUE(stream.knowsAll());
  EXPECT_NE(stream.table().callOf(stream.table().operations[0]), nullptr);
  EXPECT_EQ(stream.lost(), 1U);
}

TEST_F(LiveJobTest, KindsAreBounded) {
  LiveSums sums;
  for (std::uint32_t group = 0; group < 1000; ++group) {
    sums.kind(v1::OPERATION_ALL_REDUCE, group).calls += 1;
    sums.size(v1::OPERATION_ALL_REDUCE, group, 64).completion.add(1);
  }
  EXPECT_LE(sums.kinds.size(), LiveSums::kMaxKinds + 1);
  EXPECT_LE(sums.sizes.size(), LiveSums::kMaxSizes + 1);
  EXPECT_EQ(sums.folded_kinds, 1000 - LiveSums::kMaxKinds);
}

}  // namespace
}  // namespace traced
