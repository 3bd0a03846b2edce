#include "analysis/reading/stream_assembler.h"

#include <gtest/gtest.h>

#include "support/stream_builder.h"
#include "trace_io/chunk_decoder.h"
#include "trace_io/chunk_scanner.h"

namespace traced {
namespace {

using testing::StreamBuilder;

constexpr std::int64_t kIssueNs = 2'000'000'000;

StreamTable assemble(const StreamBuilder& stream,
                     std::initializer_list<std::string> chunks) {
  v1::Header header;
  header = const_cast<StreamBuilder&>(stream).header();
  StreamAssembler assembler(header);
  ChunkDecoder decoder;
  for (const std::string& chunk : chunks) {
    MemorySource source(chunk);
    ChunkScanner scanner(source);
    const auto scanned = scanner.next();
    if (!scanned || decoder.parse(scanned->body) != DecodeStatus::kOk ||
        decoder.decode() != DecodeStatus::kOk) {
      ADD_FAILURE() << "not a chunk";
      continue;
    }
    assembler.add(decoder.payload());
  }
  return std::move(assembler).finish();
}

class StreamAssemblerTest : public ::testing::Test {
 protected:
  StreamAssemblerTest() : stream_(0) {
    stream_.addGroup("dp", 0, 2);
    stream_.addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64);
    stream_.add(IssueRow{.op = 1, .issue_ns = kIssueNs, .call = 1, .seq = 1});
  }

  AssembledOperation only() {
    const StreamTable table = assemble(stream_, {stream_.takeChunk()});
    EXPECT_EQ(table.operations.size(), 1u);
    return table.operations[0];
  }

  StreamBuilder stream_;
};

TEST_F(StreamAssemblerTest, TheEarliestOfSeveralEndsCounts) {
  // A hook that knows the duration, and an event closer to the end.
  stream_.add(DoneRow{.op = 1,
                      .end_ns = kIssueNs + 900,
                      .source = v1::END_SOURCE_COMPLETION_HOOK,
                      .engine_ns_plus_1 = 101});
  stream_.add(DoneRow{
      .op = 1, .end_ns = kIssueNs + 400, .source = v1::END_SOURCE_DEVICE_WAIT});
  stream_.add(DoneRow{.op = 1,
                      .end_ns = kIssueNs + 500,
                      .source = v1::END_SOURCE_DEVICE_EVENT,
                      .engine_ns_plus_1 = 7});
  const AssembledOperation op = only();
  EXPECT_EQ(op.ended.ns(), kIssueNs + 400);
  EXPECT_EQ(op.end_source, v1::END_SOURCE_DEVICE_WAIT);
  EXPECT_EQ(op.started.ns(), kIssueNs + 300);
}

TEST_F(StreamAssemblerTest, TheSourceOfTheEndReportsTheDuration) {
  stream_.add(DoneRow{.op = 1,
                      .end_ns = kIssueNs + 900,
                      .source = v1::END_SOURCE_COMPLETION_HOOK,
                      .engine_ns_plus_1 = 101});
  stream_.add(DoneRow{.op = 1,
                      .end_ns = kIssueNs + 500,
                      .source = v1::END_SOURCE_DEVICE_EVENT,
                      .engine_ns_plus_1 = 201});
  const AssembledOperation op = only();
  EXPECT_EQ(op.ended.ns(), kIssueNs + 500);
  EXPECT_EQ(op.started.ns(), kIssueNs + 300);
}

TEST_F(StreamAssemblerTest, ALaterWaitRowAddsTheStall) {
  stream_.add(WaitRow{.op = 1, .wait_begin_ns = kIssueNs + 10, .wait_ns = 5});
  stream_.add(WaitRow{.op = 1,
                      .wait_begin_ns = kIssueNs + 20,
                      .wait_ns = 6,
                      .stall_ns_plus_1 = 33});
  const AssembledOperation op = only();
  EXPECT_EQ(op.wait_began.ns(), kIssueNs + 10);
  EXPECT_EQ(op.wait_ended.ns(), kIssueNs + 15);
  EXPECT_EQ(op.stall_ns_plus_1, 33u);
}

TEST_F(StreamAssemblerTest, WaysThatDifferAreSeveral) {
  const std::uint32_t ring = stream_.addText("RING");
  const std::uint32_t again = stream_.addText("RING");
  const std::uint32_t tree = stream_.addText("TREE");
  const std::uint32_t simple = stream_.addText("SIMPLE");
  stream_.add(MethodRow{1, ring, simple, 4});
  stream_.add(MethodRow{1, again, tree, 7});
  stream_.add(MethodRow{1, 0, simple, 2});
  const StreamTable table = assemble(stream_, {stream_.takeChunk()});
  const AssembledOperation& op = table.operations.at(0);
  EXPECT_EQ(table.methodText(op.algorithm), "RING");
  EXPECT_EQ(table.methodText(op.protocol), "several");
  EXPECT_EQ(op.channels, 7);
}

TEST_F(StreamAssemblerTest, UnobservedTimesAreAbsent) {
  const AssembledOperation op = only();
  EXPECT_EQ(op.issued.ns(), kIssueNs);
  EXPECT_FALSE(op.returned.known());
  EXPECT_FALSE(op.started.known());
  EXPECT_FALSE(op.ended.known());
  EXPECT_FALSE(op.wait_began.known());
  EXPECT_FALSE(op.released.known());
  EXPECT_EQ(op.algorithm, 0u);
  EXPECT_EQ(op.channels, 0);
  EXPECT_EQ(op.state(), OperationState::kIssued);
}

TEST_F(StreamAssemblerTest, CollectsRowsOverChunksInAnyOrder) {
  StreamBuilder& s = stream_;
  const std::string issue = s.takeChunk();
  s.add(DoneRow{.op = 1,
                .end_ns = kIssueNs + 900,
                .source = v1::END_SOURCE_DEVICE_EVENT,
                .engine_ns_plus_1 = 301});
  s.add(ReleaseRow{.op = 1, .release_ns = kIssueNs + 2000});
  const std::string done = s.takeChunk();
  for (const auto& table :
       {assemble(s, {issue, done}), assemble(s, {done, issue})}) {
    ASSERT_EQ(table.operations.size(), 1u);
    const AssembledOperation& op = table.operations[0];
    EXPECT_EQ(op.ended.ns(), kIssueNs + 900);
    EXPECT_EQ(op.started.ns(), kIssueNs + 600);
    EXPECT_EQ(op.released.ns(), kIssueNs + 2000);
    EXPECT_EQ(op.state(), OperationState::kEnded);
    EXPECT_EQ(table.rows_found, 3u);
    EXPECT_EQ(table.missing(), 0u);
  }
}

TEST_F(StreamAssemblerTest, AWaitThatSawTheEndIsALateBoundOfIt) {
  stream_.add(WaitRow{
      .op = 1, .wait_begin_ns = kIssueNs + 100, .wait_ns = 50, .saw_end = 1});
  const AssembledOperation op = only();
  EXPECT_EQ(op.ended.ns(), kIssueNs + 150);
  EXPECT_EQ(op.end_source, v1::END_SOURCE_WAIT);
}

TEST_F(StreamAssemblerTest, AnObservedEndWinsOverTheWait) {
  stream_.add(DoneRow{
      .op = 1, .end_ns = kIssueNs + 70, .source = v1::END_SOURCE_FUTURE});
  stream_.add(WaitRow{
      .op = 1, .wait_begin_ns = kIssueNs + 100, .wait_ns = 50, .saw_end = 1});
  EXPECT_EQ(only().ended.ns(), kIssueNs + 70);
}

TEST_F(StreamAssemblerTest, AWaitWithoutAnEndLeavesItUnknown) {
  stream_.add(WaitRow{.op = 1, .wait_begin_ns = kIssueNs, .wait_ns = 50});
  EXPECT_FALSE(only().ended.known());
}

TEST_F(StreamAssemblerTest, AWaitThatThrewFailsTheOperationWithItsError) {
  const std::uint32_t text = stream_.addText("connection closed by peer");
  stream_.add(WaitRow{.op = 1,
                      .wait_begin_ns = kIssueNs,
                      .wait_ns = 50,
                      .outcome = 1,
                      .error = text,
                      .saw_end = 1});
  const StreamTable table = assemble(stream_, {stream_.takeChunk()});
  const AssembledOperation& op = table.operations[0];
  EXPECT_EQ(op.state(), OperationState::kFailed);
  EXPECT_FALSE(op.ended.known());
  EXPECT_EQ(*table.definitions.text(op.error), "connection closed by peer");
}

TEST_F(StreamAssemblerTest, AnyFailedOutcomeFailsTheOperation) {
  stream_.add(IssueRow{.op = 2, .issue_ns = kIssueNs, .call = 1, .seq = 2});
  stream_.add(IssueRow{.op = 3, .issue_ns = kIssueNs, .call = 1, .seq = 3});
  stream_.add(ReturnRow{.op = 1, .return_ns = kIssueNs, .outcome = 1});
  stream_.add(DoneRow{.op = 2, .end_ns = kIssueNs, .outcome = 1});
  stream_.add(WaitRow{.op = 3, .wait_begin_ns = kIssueNs, .outcome = 2});
  const StreamTable table = assemble(stream_, {stream_.takeChunk()});
  for (const AssembledOperation& op : table.operations) {
    EXPECT_EQ(op.state(), OperationState::kFailed) << op.id;
  }
}

TEST_F(StreamAssemblerTest, TheFirstRecordedErrorCounts) {
  const std::uint32_t late = stream_.addText("late");
  const std::uint32_t early = stream_.addText("early");
  stream_.add(WaitRow{.op = 1, .outcome = 1, .error = late});
  const std::string wait = stream_.takeChunk();
  stream_.add(DoneRow{.op = 1, .outcome = 1, .error = early});
  const std::string done = stream_.takeChunk();
  for (const auto& table :
       {assemble(stream_, {wait, done}), assemble(stream_, {done, wait})}) {
    EXPECT_EQ(*table.definitions.text(table.operations[0].error), "early");
  }
}

TEST_F(StreamAssemblerTest, OnlyTheFirstWaitCounts) {
  stream_.add(WaitRow{.op = 1, .wait_begin_ns = kIssueNs + 1, .wait_ns = 1});
  stream_.add(WaitRow{.op = 1,
                      .wait_begin_ns = kIssueNs + 9,
                      .wait_ns = 1,
                      .source_rank_plus_1 = 3});
  const AssembledOperation op = only();
  EXPECT_EQ(op.wait_began.ns(), kIssueNs + 1);
  EXPECT_EQ(op.source_rank_plus_1, 0u);
}

TEST_F(StreamAssemblerTest, RowsWithoutAnIssueAreRecordsButNoOperations) {
  stream_.add(ReturnRow{.op = 77, .return_ns = kIssueNs});
  const StreamTable table = assemble(stream_, {stream_.takeChunk()});
  EXPECT_EQ(table.operations.size(), 1u);
  EXPECT_EQ(table.rows_found, 2u);
}

TEST_F(StreamAssemblerTest, AnUndefinedCallIsAnUnknownOperation) {
  stream_.add(IssueRow{.op = 2, .issue_ns = kIssueNs, .call = 99});
  const StreamTable table = assemble(stream_, {stream_.takeChunk()});
  EXPECT_EQ(table.callOf(table.operations[1]), nullptr);
}

TEST_F(StreamAssemblerTest, ColumnsThatDisagreeLoseTheChunksRows) {
  const std::string good = stream_.takeChunk();
  stream_.addOperation(2, kIssueNs, 1, 2, 100);
  v1::Payload broken = stream_.payload();
  broken.mutable_accounts()->set_produced(4);
  broken.mutable_accounts()->set_stored(4);
  broken.mutable_issued()->add_op_delta(2);
  broken.mutable_issued()->add_seq_step(1);
  broken.mutable_issued()->add_seq_step(2);
  const StreamTable table =
      assemble(stream_, {good, stream_.encode(broken, 3)});
  EXPECT_EQ(table.operations.size(), 1u);
  EXPECT_EQ(table.broken_tables, 1u);
  EXPECT_EQ(table.missing(), 3u);
}

TEST_F(StreamAssemblerTest, AccountsAreThoseOfTheLastChunk) {
  const std::string first = stream_.takeChunk();
  stream_.drop(v1::DROP_REASON_RING_FULL, 41);
  const std::string last = stream_.takeChunk(true);
  const StreamTable table = assemble(stream_, {last, first});
  EXPECT_TRUE(table.closed);
  EXPECT_EQ(table.accounts.produced(), 42u);
  EXPECT_EQ(table.dropped(), 41u);
  EXPECT_EQ(table.runNs(),
            static_cast<std::uint64_t>(kIssueNs - StreamBuilder::kStartNs));
}

// The first chunk of a new part, and a chunk that reports deletions, cover no
// position.
TEST_F(StreamAssemblerTest, LaterAccountsHaveLessInStore) {
  const std::string before = stream_.takeChunk(true);
  stream_.payload().mutable_accounts()->set_stored(0);
  const std::string latest = stream_.takeChunk(true);
  const StreamTable table = assemble(stream_, {latest, before});
  EXPECT_EQ(table.accounts.stored(), 0u);
}

}  // namespace
}  // namespace traced
