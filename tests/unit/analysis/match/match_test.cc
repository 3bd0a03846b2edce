#include "analysis/match/match.h"

#include <gtest/gtest.h>

#include "analysis/reading/trace_set.h"
#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced {
namespace {

using testing::StreamBuilder;

class MatchTest : public ::testing::Test {
 protected:
  MatchTest() {
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      StreamBuilder& stream = streams_.emplace_back(rank);
      stream.addGroup("dp", 0, 2);
      stream.addGroup("pp", 0, 2).set_nth(1);
      stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64);
      v1::Call& p2p = stream.addCall(
          rank == 0 ? v1::OPERATION_SEND : v1::OPERATION_RECV, 2, 64, 0);
      if (rank == 0) p2p.set_peer_global_plus_1(2);
    }
  }

  MatchTable match(const MatchFilter& filter = {}) {
    for (StreamBuilder& stream : streams_) {
      testing::writeFile(dir_.path() + "/" + std::to_string(stream.streamId()),
                         stream.takeChunk(true));
    }
    auto set = openTraceSet({dir_.path()});
    EXPECT_TRUE(set);
    run_ = loadRun(*set);
    return matchOperations(run_, filter);
  }

  void collective(std::uint32_t rank, std::uint64_t op, std::int64_t at_ns,
                  std::uint64_t seq) {
    streams_[rank].addOperation(op, StreamBuilder::kIssueNs + at_ns, 1, seq,
                                100'000);
  }

  // Adds a receive from any source. It ends after 1 us and took a message from
  // rank 0.
  void receiveFromAny(std::uint64_t op, std::int64_t at_ns) {
    const std::int64_t ns = StreamBuilder::kIssueNs + at_ns;
    streams_[1].add(IssueRow{.op = op, .issue_ns = ns, .call = 2});
    streams_[1].add(WaitRow{.op = op,
                            .wait_begin_ns = ns,
                            .wait_ns = 1000,
                            .saw_end = 1,
                            .source_rank_plus_1 = 1});
  }

  testing::TempDir dir_;
  std::vector<StreamBuilder> streams_;
  LoadedRun run_;
};

TEST_F(MatchTest, CollectivesMatchByGroupAndNumberNotByTime) {
  collective(0, 1, 0, 1);
  collective(0, 2, 10, 2);
  collective(1, 5, 900, 1);
  const MatchTable table = match();
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].seq, 1u);
  EXPECT_EQ(table.cellsOf(table.rows[0]).size(), 2u);
  EXPECT_EQ(table.cellsOf(table.rows[1]).size(), 1u);
  EXPECT_EQ(table.rows[0].first_issue_ns, StreamBuilder::kIssueNs);
}

TEST_F(MatchTest, RowsAreInTheOrderOfTheirFirstIssue) {
  collective(0, 1, 500, 1);
  collective(0, 2, 600, 2);
  collective(1, 1, 100, 2);
  const MatchTable table = match();
  EXPECT_EQ(table.rows[0].seq, 2u);
  EXPECT_EQ(table.rows[1].seq, 1u);
}

TEST_F(MatchTest, AWindowIsAfterTheFirstStartAndHasWhatAnyRankIssuedInIt) {
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    collective(rank, 1, 0, 1);
    collective(rank, 2, 100 + 400 * rank, 2);
    collective(rank, 3, 900, 3);
  }
  const std::int64_t from_ns =
      StreamBuilder::kIssueNs - StreamBuilder::kStartNs;
  MatchFilter filter;
  filter.window.since_ns = from_ns + 50;
  filter.window.until_ns = from_ns + 200;
  const MatchTable table = match(filter);
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0].seq, 2u);
  EXPECT_EQ(table.cellsOf(table.rows[0]).size(), 2u);
}

TEST_F(MatchTest, ASendMatchesAReceiveWhoseSourceIsKnown) {
  streams_[0].addOperation(1, StreamBuilder::kIssueNs, 2, 1, 1000);
  streams_[1].payload().mutable_call(1)->set_peer_global_plus_1(1);
  streams_[1].addOperation(1, StreamBuilder::kIssueNs + 5, 2, 1, 1000);
  const MatchTable table = match();
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0].pair,
            (std::pair<std::uint32_t, std::uint32_t>{0, 1}));
  EXPECT_EQ(table.cellsOf(table.rows[0]).size(), 2u);
}

TEST_F(MatchTest, AReceiveFromAnySourceHasItsOwnRowWithItsSource) {
  streams_[1].add(
      IssueRow{.op = 1, .issue_ns = StreamBuilder::kIssueNs, .call = 2});
  streams_[1].add(
      IssueRow{.op = 2, .issue_ns = StreamBuilder::kIssueNs + 1, .call = 2});
  streams_[1].add(WaitRow{.op = 1, .source_rank_plus_1 = 1});
  const MatchTable table = match();
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].pair,
            (std::pair<std::uint32_t, std::uint32_t>{0, 1}));
  EXPECT_EQ(table.rows[1].pair, std::nullopt);
  EXPECT_EQ(table.rows[0].seq, 0u);
}

// The receive from any source took the first message, and the receiver's first
// receive by name took the second one.
TEST_F(MatchTest, AReceiveFromAnySourceIsWithTheMessageThatItTook) {
  v1::Call& named = streams_[1].addCall(v1::OPERATION_RECV, 2, 64, 0);
  named.set_peer_global_plus_1(1);
  const std::int64_t ns = StreamBuilder::kIssueNs;
  streams_[0].addOperation(1, ns, 2, 1, 1000);
  streams_[0].addOperation(2, ns + 100'000, 2, 2, 1000);
  receiveFromAny(1, 0);
  streams_[1].addOperation(2, ns + 200'000, named.id(), 1, 1000);
  const MatchTable table = match();
  ASSERT_EQ(table.rows.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const MatchRow& row = table.rows[i];
    EXPECT_EQ(row.seq, i + 1);
    EXPECT_EQ(row.pair, (std::pair<std::uint32_t, std::uint32_t>{0, 1}));
    ASSERT_EQ(row.cell_count, 2u);
    EXPECT_EQ(table.cellsOf(row)[1].operation, i);
  }
}

// A filtered receive still takes its message.
TEST_F(MatchTest, AFilterDoesNotChangeWhichMessageAReceiveTook) {
  streams_[0].addOperation(1, StreamBuilder::kIssueNs, 2, 1, 1000);
  receiveFromAny(1, 0);
  MatchFilter filter;
  filter.ranks = {1};
  const MatchTable table = match(filter);
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0].seq, 1u);
}

// NCCL has no tags: messages are taken in order. For an unknown engine the
// match is unknown, so each message has a row of its own.
TEST_F(MatchTest, TagsMoveMessagesOnlyWhereTheBackendHasThem) {
  for (const char* backend : {"gloo", "nccl", "mpi"}) {
    SCOPED_TRACE(backend);
    std::vector<StreamBuilder> streams;
    streams.swap(streams_);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      StreamBuilder& stream = streams_.emplace_back(rank);
      stream.addGroup("pp", 0, 2).set_backend(backend);
      for (std::int32_t i = 0; i < 2; ++i) {
        v1::Call& call = stream.addCall(
            rank == 0 ? v1::OPERATION_SEND : v1::OPERATION_RECV, 1, 64, 64);
        call.set_peer_global_plus_1(rank == 0 ? 2 : 1);
        call.set_tag(rank == 0 ? i : 1 - i);
        stream.addOperation(i + 1, StreamBuilder::kIssueNs + i, call.id(),
                            i + 1, 1000);
      }
    }
    const MatchTable table = match();
    streams_.swap(streams);
    const bool matches = backend != std::string("mpi");
    ASSERT_EQ(table.rows.size(), matches ? 2u : 4u);
    if (!matches) continue;
    const bool crossed = backend == std::string("gloo");
    EXPECT_EQ(table.cellsOf(table.rows[0])[1].operation, crossed ? 1u : 0u);
  }
}

TEST_F(MatchTest, ANumberUsedTwiceByARankGetsASecondRow) {
  collective(0, 1, 0, 1);
  collective(0, 2, 10, 1);
  collective(1, 1, 20, 1);
  const MatchTable table = match();
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.cellsOf(table.rows[0]).size(), 2u);
  EXPECT_EQ(table.cellsOf(table.rows[1]).size(), 1u);
}

TEST_F(MatchTest, FiltersChooseRanksGroupsAndRows) {
  collective(0, 1, 0, 1);
  collective(1, 1, 0, 1);
  streams_[0].addOperation(2, StreamBuilder::kIssueNs + 100, 2, 1, 1000);
  MatchFilter ranks;
  ranks.ranks = {1};
  EXPECT_EQ(match(ranks).cells.size(), 1u);
  MatchFilter groups;
  groups.groups = {"pp"};
  EXPECT_EQ(matchOperations(run_, groups).rows.size(), 1u);
  MatchFilter ops;
  ops.ops = {"all_reduce"};
  EXPECT_EQ(matchOperations(run_, ops).rows.size(), 1u);
}

class MatchBatchTest : public MatchTest {
 protected:
  MatchBatchTest() {
    for (StreamBuilder& stream : streams_) {
      end_call_ = stream.addCall(v1::OPERATION_COALESCED, 1, 0, 0).id();
    }
  }

  // Adds a rank's batch, whose collectives are numbered from `seq` on. The last
  // operation is its end. 0 means a message.
  void batch(std::uint32_t rank, std::uint64_t number, std::uint64_t op,
             std::int64_t at_ns, const std::vector<std::uint64_t>& seqs) {
    const std::int64_t ns = StreamBuilder::kIssueNs + at_ns;
    for (const std::uint64_t seq : seqs) {
      streams_[rank].add(IssueRow{.op = op++,
                                  .issue_ns = ns,
                                  .call = seq > 0 ? 1U : 2U,
                                  .seq = seq > 0 ? seq : 1,
                                  .batch = number});
    }
    streams_[rank].add(IssueRow{
        .op = op, .issue_ns = ns + 50, .call = end_call_, .batch = number});
  }

  std::uint32_t end_call_ = 0;
};

// The ranks number their batches independently.
TEST_F(MatchBatchTest, ABatchIsOneRowAboveThoseOfItsMembers) {
  collective(0, 1, 0, 1);
  batch(0, 7, 10, 100, {2, 3});
  batch(1, 4, 20, 120, {2, 3});
  collective(0, 30, 130, 4);  // before the batch is closed
  const MatchTable table = match();
  ASSERT_EQ(table.rows.size(), 5u);
  EXPECT_EQ(table.rows[0].batch, 0u);
  const MatchRow& end = table.rows[1];
  EXPECT_TRUE(end.ends_batch);
  EXPECT_EQ(end.members, 2u);
  EXPECT_EQ(end.seq, 0u);
  EXPECT_EQ(table.cellsOf(end).size(), 2u);
  for (const std::size_t i : {2u, 3u}) {
    EXPECT_EQ(table.rows[i].batch, end.batch);
    EXPECT_FALSE(table.rows[i].ends_batch);
    EXPECT_EQ(table.rows[i].seq, i);
    EXPECT_EQ(table.cellsOf(table.rows[i]).size(), 2u);
  }
  EXPECT_EQ(table.rows[4].batch, 0u);
  EXPECT_EQ(table.rows[4].seq, 4u);
}

TEST_F(MatchBatchTest, ABatchOfMessagesIsOfItsRankAlone) {
  batch(0, 7, 10, 0, {0});
  batch(0, 8, 20, 500, {2});
  batch(1, 1, 20, 500, {2});
  const MatchTable table = match();
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_TRUE(table.rows[0].ends_batch);
  EXPECT_EQ(table.cellsOf(table.rows[0]).size(), 1u);
  EXPECT_EQ(table.rows[0].batch, 1u);
  EXPECT_TRUE(table.rows[1].pair);
  EXPECT_EQ(table.rows[1].batch, 1u);
  EXPECT_EQ(table.rows[2].batch, 2u);
  EXPECT_EQ(table.cellsOf(table.rows[2]).size(), 2u);
}

// Killed before the batch was closed, or its end was lost.
TEST_F(MatchBatchTest, MembersWithoutTheEndOfTheirBatchHaveTheirOwnRows) {
  streams_[0].add(IssueRow{.op = 1,
                           .issue_ns = StreamBuilder::kIssueNs,
                           .call = 1,
                           .seq = 1,
                           .batch = 3});
  const MatchTable table = match();
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0].batch, 0u);
}

}  // namespace
}  // namespace traced
