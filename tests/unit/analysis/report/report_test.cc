#include "analysis/report/report.h"

#include <gtest/gtest.h>

#include "analysis/reading/stream_loader.h"
#include "analysis/report/report_builder.h"
#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced {
namespace {

using testing::StreamBuilder;

class ReportTest : public ::testing::Test {
 protected:
  ReportTest() : stream_(0, 4) {
    stream_.addGroup("dp", 0, 4);
    stream_.addCall(v1::OPERATION_ALL_REDUCE, 1, 1'000'000, 1'000'000);
    stream_.addCall(v1::OPERATION_ALL_GATHER, 1, 1'000'000, 4'000'000,
                    v1::DTYPE_BFLOAT16);
  }

  // Adds a batch of calls, issued at once, that end after a millisecond.
  void addBatch(std::uint64_t op, std::uint64_t number,
                std::initializer_list<std::uint32_t> calls) {
    if (coalesced_ == 0) {
      coalesced_ = stream_.addCall(v1::OPERATION_COALESCED, 1, 0, 0).id();
    }
    for (const std::uint32_t call : calls) {
      stream_.add(IssueRow{.op = op++,
                           .issue_ns = StreamBuilder::kIssueNs,
                           .call = call,
                           .seq = op,
                           .batch = number});
    }
    stream_.add(IssueRow{.op = op,
                         .issue_ns = StreamBuilder::kIssueNs,
                         .call = coalesced_,
                         .batch = number});
    stream_.add(DoneRow{.op = op,
                        .end_ns = StreamBuilder::kIssueNs + 1'000'000,
                        .source = v1::END_SOURCE_FUTURE});
  }

  Report report(std::vector<ReportKey> by) {
    testing::writeFile(dir_.path() + "/rank", stream_.takeChunk(true));
    auto set = openTraceSet({dir_.path()});
    EXPECT_TRUE(set);
    ReportBuilder builder(std::move(by));
    builder.add(StreamLoader(*set).load(set->streams[0]));
    Report report = std::move(builder).finish();
    sortRows(report, ReportOrder::kName);
    return report;
  }

  testing::TempDir dir_;
  StreamBuilder stream_;
  std::uint32_t coalesced_ = 0;
};

TEST_F(ReportTest, AddsUpByTheKeysAskedFor) {
  stream_.addOperation(1, StreamBuilder::kIssueNs, 1, 1, 500'000);
  stream_.addOperation(2, StreamBuilder::kIssueNs, 1, 2, 700'000);
  stream_.addOperation(3, StreamBuilder::kIssueNs, 2, 3, 900'000);
  const Report by_all =
      report({ReportKey::kOp, ReportKey::kGroup, ReportKey::kDtype,
              ReportKey::kSize, ReportKey::kShape, ReportKey::kRank});
  ASSERT_EQ(by_all.rows.size(), 2u);
  EXPECT_EQ(by_all.rows[0].keys,
            (std::vector<std::string>{"all_gather", "dp", "bfloat16", "2-4 MiB",
                                      "[250000]", "0"}));
  EXPECT_EQ(by_all.rows[1].totals.calls, 2u);
  EXPECT_EQ(by_all.rows[1].totals.bytes_in, 2'000'000u);
  // Without the first call of the group.
  EXPECT_EQ(by_all.rows[1].completion.p50_ns, 700'000u);
  EXPECT_EQ(by_all.rows[1].completion.max_ns, 700'000u);
  EXPECT_EQ(by_all.rows[1].host.p50_ns, 10'000u);
  EXPECT_EQ(by_all.rows[1].wait.total_ns, 1'160'000u);
  EXPECT_EQ(by_all.all.calls, 3u);
  EXPECT_EQ(by_all.ranks[0].totals.calls, 3u);
  EXPECT_EQ(by_all.group_totals[0].calls, 3u);
}

TEST_F(ReportTest, BytesAreTheLargerOfInAndOutOfEachCall) {
  // The calls of a gather's root, and of the other ranks.
  stream_.addCall(v1::OPERATION_GATHER, 1, 100, 400);
  stream_.addCall(v1::OPERATION_GATHER, 1, 100, 0);
  stream_.addOperation(1, StreamBuilder::kIssueNs, 3, 1, 500'000);
  stream_.addOperation(2, StreamBuilder::kIssueNs, 4, 2, 500'000);
  stream_.addOperation(3, StreamBuilder::kIssueNs, 4, 3, 500'000);
  const CallTotals all = report({ReportKey::kOp}).all;
  EXPECT_EQ(all.bytes_in, 300u);
  EXPECT_EQ(all.bytes_out, 400u);
  EXPECT_EQ(all.bytes, 600u);
}

TEST_F(ReportTest, TheSizeOfABatchIsThatOfItsMembersTogether) {
  addBatch(1, 1, {1, 2});
  addBatch(11, 2, {1});
  const Report by_size = report({ReportKey::kOp, ReportKey::kSize});
  ASSERT_EQ(by_size.rows.size(), 4u);
  // 1 MB of factor 1.5 and 4 MB of factor 0.75, in a millisecond.
  const ReportRow& both = by_size.rows[2];
  EXPECT_EQ(both.keys, (std::vector<std::string>{"coalesced", "4-8 MiB"}));
  EXPECT_DOUBLE_EQ(both.algbw_gbs.value(), 5.0);
  EXPECT_DOUBLE_EQ(both.busbw_gbs.value(), 4.5);
  // Its members count them already.
  EXPECT_EQ(both.totals.bytes_in, 0u);
  const ReportRow& one = by_size.rows[3];
  EXPECT_EQ(one.keys[1], "512 KiB-1 MiB");
  EXPECT_DOUBLE_EQ(one.busbw_gbs.value(), 1.5);
}

TEST_F(ReportTest, ABatchWithACallThatMovesNothingHasNoBandwidth) {
  const std::uint32_t barrier =
      stream_.addCall(v1::OPERATION_BARRIER, 1, 0, 0).id();
  addBatch(1, 1, {1, barrier});
  addBatch(11, 2, {barrier, 1});
  const Report by_op = report({ReportKey::kOp});
  ASSERT_EQ(by_op.rows.size(), 3u);
  EXPECT_EQ(by_op.rows[2].keys.front(), "coalesced");
  EXPECT_EQ(by_op.rows[2].completion.count, 2u);
  EXPECT_FALSE(by_op.rows[2].algbw_gbs);
  EXPECT_FALSE(by_op.rows[2].busbw_gbs);
}

TEST_F(ReportTest, AddsUpByWhereInTheProgramCallsWereIssued) {
  v1::Context& context = stream_.addContext();
  context.add_annotation("train");
  context.add_annotation("warm-up");
  context.set_model("Net");
  context.set_module("layers.3");
  context.set_phase(v1::PHASE_BACKWARD);
  stream_.addContext().set_parent("all_gather_object");
  const auto issue = [this](std::uint64_t op, std::uint32_t known) {
    stream_.add(IssueRow{.op = op,
                         .issue_ns = StreamBuilder::kIssueNs,
                         .call = 1,
                         .seq = op,
                         .context = known});
  };
  issue(1, 0);
  issue(2, 1);
  issue(3, 1);
  issue(4, 2);
  issue(5, 2);
  const Report by_place = report({ReportKey::kModule, ReportKey::kPhase,
                                  ReportKey::kAnnotation, ReportKey::kParent});
  ASSERT_EQ(by_place.rows.size(), 3u);
  EXPECT_EQ(by_place.rows[1].totals.calls, 2u);
  EXPECT_EQ(by_place.rows[1].totals.parents, 1u);
  EXPECT_EQ(by_place.rows[2].totals.parents, 0u);
  using Keys = std::vector<std::string>;
  EXPECT_EQ(by_place.rows[0].keys, (Keys{"-", "-", "-", "-"}));
  EXPECT_EQ(by_place.rows[1].keys, (Keys{"-", "-", "-", "all_gather_object"}));
  EXPECT_EQ(by_place.rows[2].keys,
            (Keys{"Net.layers.3", "backward", "train / warm-up", "-"}));
  EXPECT_EQ(by_place.rows[2].totals.calls, 2u);
}

TEST_F(ReportTest, AddsUpByCallSite) {
  const auto addStack = [this](std::uint32_t line, std::uint32_t site) {
    v1::Stack& stack = stream_.addStack();
    v1::Frame& torchs = *stack.add_frame();
    torchs.set_file("torch.py");
    v1::Frame& own = *stack.add_frame();
    own.set_function("step");
    own.set_file("train.py");
    own.set_line(line);
    stack.set_site(site);
  };
  addStack(7, 2);
  addStack(7, 2);  // the same line by another path
  addStack(9, 2);
  addStack(9, 0);
  addStack(9, 3);  // no such frame
  for (std::uint32_t id = 0; id <= 5; ++id) {
    stream_.add(IssueRow{.op = id + 1,
                         .issue_ns = StreamBuilder::kIssueNs,
                         .call = 1,
                         .seq = id + 1,
                         .stack = id});
  }
  const Report by_site = report({ReportKey::kSite});
  ASSERT_EQ(by_site.rows.size(), 3u);
  EXPECT_EQ(by_site.rows[0].keys.front(), "-");
  EXPECT_EQ(by_site.rows[0].totals.calls, 3u);
  EXPECT_EQ(by_site.rows[1].keys.front(), "train.py:7 in step");
  EXPECT_EQ(by_site.rows[1].totals.calls, 2u);
  EXPECT_EQ(by_site.rows[2].keys.front(), "train.py:9 in step");
}

TEST_F(ReportTest, AddsUpByHowTheLibraryCarriedCallsOut) {
  const std::uint32_t ring = stream_.addText("RING");
  const std::uint32_t tree = stream_.addText("TREE");
  const std::uint32_t simple = stream_.addText("SIMPLE");
  for (std::uint32_t id = 1; id <= 4; ++id) {
    stream_.addOperation(id, StreamBuilder::kIssueNs, 1, id, 500'000);
  }
  stream_.add(MethodRow{1, ring, simple, 2});
  stream_.add(MethodRow{2, ring, simple, 8});
  stream_.add(MethodRow{3, ring, simple, 8});
  stream_.add(MethodRow{3, tree, simple, 8});
  const Report by_way = report({ReportKey::kAlgorithm, ReportKey::kProtocol});
  ASSERT_EQ(by_way.rows.size(), 3u);
  using Keys = std::vector<std::string>;
  EXPECT_EQ(by_way.rows[0].keys, (Keys{"-", "-"}));
  EXPECT_EQ(by_way.rows[1].keys, (Keys{"RING", "SIMPLE"}));
  EXPECT_EQ(by_way.rows[1].totals.calls, 2u);
  EXPECT_EQ(by_way.rows[2].keys, (Keys{"several", "SIMPLE"}));
}

TEST_F(ReportTest, AddsUpByStepAndOrdersStepsAsNumbers) {
  stream_.addOperation(1, StreamBuilder::kIssueNs, 1, 1, 500'000);
  stream_.addStep(5, StreamBuilder::kIssueNs, 9);
  stream_.addOperation(6, StreamBuilder::kIssueNs, 1, 2, 500'000);
  stream_.addStep(7, StreamBuilder::kIssueNs, 10);
  stream_.addOperation(8, StreamBuilder::kIssueNs, 1, 3, 500'000);
  const Report by_step = report({ReportKey::kStep});
  ASSERT_EQ(by_step.rows.size(), 3u);
  EXPECT_EQ(by_step.rows[0].keys.front(), "9");
  EXPECT_EQ(by_step.rows[1].keys.front(), "10");
  EXPECT_EQ(by_step.rows[2].keys.front(), "-");
}

// The sums depend on neither the adding thread nor the order.
TEST(ReportSumsTest, SeveralThreadsGiveTheSameSums) {
  std::vector<StreamTable> tables(3);
  for (std::uint32_t rank = 0; rank < tables.size(); ++rank) {
    StreamBuilder stream(rank, 3);
    stream.addGroup("dp", 0, 3).set_group_rank(rank);
    stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64);
    stream.addCall(v1::OPERATION_ALL_GATHER, 1, 64, 192);
    stream.addOperation(1, StreamBuilder::kIssueNs, 1 + rank % 2, 1, 500);
    stream.addOperation(2, StreamBuilder::kIssueNs, 1, 2, 1'000 * rank);
    testing::TempDir dir;
    testing::writeFile(dir.path() + "/rank", stream.takeChunk(true));
    const auto set = openTraceSet({dir.path()});
    ASSERT_TRUE(set);
    tables[rank] = StreamLoader(*set).load(set->streams[0]);
  }
  ReportBuilder in_order({ReportKey::kOp, ReportKey::kRank});
  GroupCatalog groups;
  for (const StreamTable& table : tables) {
    in_order.add(table);
    groups.add(0, table.definitions.groups());
  }
  const Report expected = std::move(in_order).finish();

  ReportBuilder builder({ReportKey::kOp, ReportKey::kRank});
  for (const StreamTable& table : tables) builder.summarize(table);
  std::vector<ReportSums> sums;
  for (int thread = 0; thread < 2; ++thread) sums.push_back(builder.sums());
  for (const std::size_t rank : {2, 0, 1}) {
    const std::vector<std::uint32_t> indices = {0};
    sums[rank % 2].add({rank, tables[rank], indices, groups}, nullptr);
  }
  const Report report = std::move(builder).finish(std::move(sums));

  ASSERT_EQ(report.rows.size(), expected.rows.size());
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const ReportRow& row = report.rows[i];
    EXPECT_EQ(row.keys, expected.rows[i].keys);
    EXPECT_EQ(row.totals.calls, expected.rows[i].totals.calls);
    EXPECT_EQ(row.completion.p99_ns, expected.rows[i].completion.p99_ns);
    EXPECT_EQ(row.algbw_gbs, expected.rows[i].algbw_gbs);
    EXPECT_EQ(row.share, expected.rows[i].share);
  }
  EXPECT_EQ(report.all.bytes, expected.all.bytes);
  EXPECT_EQ(report.group_totals[0].calls, 6u);
  for (std::uint32_t rank = 0; rank < tables.size(); ++rank) {
    EXPECT_EQ(report.ranks[rank].rank, rank);
    EXPECT_EQ(report.ranks[rank].totals.calls, 2u);
  }
}

TEST_F(ReportTest, WithoutKeysThereIsOneRow) {
  stream_.addOperation(1, StreamBuilder::kIssueNs, 1, 1, 500'000);
  stream_.addOperation(3, StreamBuilder::kIssueNs, 2, 3, 900'000);
  EXPECT_EQ(report({}).rows.size(), 1u);
}

TEST_F(ReportTest, BandwidthIsOverCompletionTime) {
  stream_.addOperation(1, StreamBuilder::kIssueNs, 1, 1, 500'000);
  const Report by_op = report({ReportKey::kOp});
  EXPECT_DOUBLE_EQ(*by_op.rows[0].algbw_gbs, 2.0);
  EXPECT_DOUBLE_EQ(*by_op.rows[0].busbw_gbs, 3.0);
}

TEST_F(ReportTest, UnobservedTimesAreNoSamples) {
  stream_.add(IssueRow{
      .op = 1, .issue_ns = StreamBuilder::kIssueNs, .call = 1, .seq = 1});
  stream_.addOperation(2, StreamBuilder::kIssueNs, 1, 2, 500'000);
  const Report by_op = report({ReportKey::kOp});
  const ReportRow& row = by_op.rows[0];
  EXPECT_EQ(row.totals.calls, 2u);
  EXPECT_EQ(row.completion.count, 1u);
  EXPECT_EQ(row.host.count, 1u);
  EXPECT_EQ(row.wait.count, 1u);
  EXPECT_EQ(row.totals.ends_unknown, 1u);
}

TEST_F(ReportTest, AFailedCallHasNoCompletionTimeAndNoBandwidth) {
  stream_.add(IssueRow{
      .op = 1, .issue_ns = StreamBuilder::kIssueNs, .call = 1, .seq = 1});
  stream_.add(
      DoneRow{.op = 1, .end_ns = StreamBuilder::kIssueNs + 100, .outcome = 1});
  const Report by_op = report({ReportKey::kOp});
  EXPECT_EQ(by_op.rows[0].totals.failed, 1u);
  EXPECT_EQ(by_op.rows[0].totals.ends_unknown, 0u);
  EXPECT_EQ(by_op.rows[0].completion.count, 0u);
  EXPECT_FALSE(by_op.rows[0].busbw_gbs);
}

TEST_F(ReportTest, CountsEndsThatOnlyAWaitShowed) {
  stream_.add(IssueRow{
      .op = 1, .issue_ns = StreamBuilder::kIssueNs, .call = 1, .seq = 1});
  stream_.add(WaitRow{.op = 1,
                      .wait_begin_ns = StreamBuilder::kIssueNs + 5,
                      .wait_ns = 10,
                      .saw_end = 1});
  const Report by_op = report({ReportKey::kOp});
  EXPECT_EQ(by_op.rows[0].totals.ends_at_wait, 1u);
  EXPECT_EQ(by_op.rows[0].completion.p50_ns, 15u);
}

// The first has a recorded wait, the second was over when it returned, the
// third was only waited for by a future.
TEST_F(ReportTest, CountsOperationsWithoutARecordedWait) {
  for (const std::uint64_t op : {1, 2, 3}) {
    const auto issue_ns =
        StreamBuilder::kIssueNs + 100 * static_cast<std::int64_t>(op);
    stream_.add(IssueRow{.op = op, .issue_ns = issue_ns, .call = 1, .seq = op});
    stream_.add(ReturnRow{.op = op, .return_ns = issue_ns + 20});
    stream_.add(DoneRow{.op = op,
                        .end_ns = issue_ns + (op == 2 ? 10 : 50),
                        .source = v1::END_SOURCE_FUTURE});
  }
  stream_.add(WaitRow{
      .op = 1, .wait_begin_ns = StreamBuilder::kIssueNs + 130, .wait_ns = 20});
  const Report by_op = report({ReportKey::kOp});
  const CallTotals& totals = by_op.rows[0].totals;
  EXPECT_EQ(totals.calls, 3u);
  EXPECT_EQ(totals.waits_unknown, 1u);
  EXPECT_EQ(totals.unseen_at_most_ns, 30u);
  EXPECT_DOUBLE_EQ(totals.shareOf(1000), 0.08);
  EXPECT_DOUBLE_EQ(totals.mostOf(1000), 0.11);
  EXPECT_DOUBLE_EQ(totals.mostOf(90), 1) << "it is a part of the time";
  EXPECT_EQ(by_op.ranks[0].totals.unseen_at_most_ns, 30u);
  EXPECT_EQ(by_op.group_totals[0].unseen_at_most_ns, 30u);
  EXPECT_EQ(by_op.all.unseen_at_most_ns, 30u);
  EXPECT_TRUE(by_op.isBounded());
}

// Two threads wait concurrently: no share exceeds 1, and rows add up.
TEST_F(ReportTest, TimeOfThreadsThatOverlapCountsOnce) {
  for (const std::uint64_t op : {1, 2}) {
    const auto call = static_cast<std::uint32_t>(op);
    stream_.add(IssueRow{.op = op,
                         .issue_ns = StreamBuilder::kIssueNs,
                         .call = call,
                         .seq = 1,
                         .thread = call});
    stream_.add(ReturnRow{.op = op, .return_ns = StreamBuilder::kIssueNs + 10});
    stream_.add(WaitRow{.op = op,
                        .wait_begin_ns = StreamBuilder::kIssueNs + 10,
                        .wait_ns = op == 1 ? 90u : 40u,
                        .saw_end = 1});
  }
  const Report by_op = report({ReportKey::kOp});
  EXPECT_EQ(by_op.ranks[0].run_ns, 100u) << "from first to last";
  EXPECT_DOUBLE_EQ(by_op.all.shareOf(by_op.ranks[0].run_ns), 1);
  EXPECT_EQ(by_op.time.calls_ns, 10u);
  EXPECT_EQ(by_op.time.undecided_ns, 90u);
  std::uint64_t held_ns = 0;
  for (const ReportRow& row : by_op.rows) {
    held_ns += row.totals.held_ns;
  }
  EXPECT_EQ(held_ns, 100u);
}

// On a device a wait returns at once: only a stall shows how long it blocked
// the stream. A synchronous operation blocks the caller's stream itself.
TEST_F(ReportTest, OnADeviceOnlyAStallShowsHowLongAWaitBlocks) {
  stream_.payload().mutable_group(0)->set_backend("nccl");
  stream_.payload().mutable_call(0)->set_async(true);
  stream_.payload().mutable_call(1)->set_async(false);
  const auto add = [this](std::uint64_t op, std::int64_t issue_ns,
                          std::uint32_t call, std::uint64_t stall_ns_plus_1,
                          std::int64_t wait_ns = 20) {
    const std::int64_t at_ns = StreamBuilder::kIssueNs + issue_ns;
    stream_.add(IssueRow{.op = op, .issue_ns = at_ns, .call = call, .seq = op});
    stream_.add(ReturnRow{.op = op, .return_ns = at_ns + 10});
    stream_.add(DoneRow{.op = op,
                        .end_ns = at_ns + 100,
                        .source = v1::END_SOURCE_DEVICE_EVENT,
                        .engine_ns_plus_1 = 51});
    if (call == 2) return;
    stream_.add(WaitRow{.op = op,
                        .wait_begin_ns = at_ns + wait_ns,
                        .wait_ns = 10,
                        .stall_ns_plus_1 = stall_ns_plus_1});
  };
  add(1, 0, 1, 0);
  add(2, 200, 1, 41);
  add(3, 400, 2, 0);
  add(4, 600, 1, 0, 300);  // had ended: nothing blocks
  const Report by_op = report({ReportKey::kOp});
  EXPECT_EQ(by_op.all.waits_unknown, 2u);
  EXPECT_EQ(by_op.time.calls_ns, 40u);
  EXPECT_EQ(by_op.time.undecided_ns, 10u + 40u + 10u);
  EXPECT_EQ(by_op.time.may_wait_ns, 70u + 50u);
}

// The program issues two operations in a step and then may wait for both.
TEST_F(ReportTest, UnseenWaitsAreEstimatedFromTheLastCallOfAStep) {
  stream_.payload().mutable_group(0)->set_backend("gloo");
  stream_.payload().mutable_call(0)->set_async(true);
  const auto add = [this](std::uint64_t op, std::int64_t issue_ns,
                          std::int64_t end_ns) {
    const std::int64_t at_ns = StreamBuilder::kIssueNs;
    stream_.add(
        IssueRow{.op = op, .issue_ns = at_ns + issue_ns, .call = 1, .seq = op});
    stream_.add(ReturnRow{.op = op, .return_ns = at_ns + issue_ns + 10});
    stream_.add(DoneRow{
        .op = op, .end_ns = at_ns + end_ns, .source = v1::END_SOURCE_FUTURE});
  };
  stream_.addStep(1, StreamBuilder::kIssueNs + 0, 0);
  add(1, 0, 50);
  add(2, 20, 80);
  stream_.addStep(2, StreamBuilder::kIssueNs + 100, 1);
  add(3, 110, 130);
  stream_.addStep(3, StreamBuilder::kIssueNs + 200, 2);
  const Report by_op = report({ReportKey::kOp});
  EXPECT_EQ(by_op.time.may_wait_ns, 60u + 10u);
  EXPECT_EQ(by_op.estimated_wait_ns, 50u + 10u);
}

TEST_F(ReportTest, CountsEndsThatACompletionHookShowed) {
  stream_.add(IssueRow{
      .op = 1, .issue_ns = StreamBuilder::kIssueNs, .call = 1, .seq = 1});
  stream_.add(DoneRow{.op = 1,
                      .end_ns = StreamBuilder::kIssueNs + 5,
                      .source = v1::END_SOURCE_COMPLETION_HOOK});
  const Report by_op = report({ReportKey::kOp});
  EXPECT_EQ(by_op.rows[0].totals.ends_at_hook, 1u);
  EXPECT_EQ(by_op.rows[0].totals.ends_at_wait, 0u);
}

TEST_F(ReportTest, SimulatedCallsAreOnlyCounted) {
  stream_.addCall(v1::OPERATION_BROADCAST, 1, 64, 64).set_simulated(true);
  stream_.addOperation(1, StreamBuilder::kIssueNs, 1, 1, 500'000);
  stream_.addOperation(2, StreamBuilder::kIssueNs, 3, 2, 500'000);
  const Report by_op = report({ReportKey::kOp});
  ASSERT_EQ(by_op.rows.size(), 1u);
  EXPECT_EQ(by_op.all.calls, 1u);
  EXPECT_EQ(by_op.ranks[0].totals.calls, 1u);
  EXPECT_EQ(by_op.group_totals[0].calls, 1u);
  EXPECT_EQ(by_op.summary.operations(), 1u);
  EXPECT_EQ(by_op.summary.simulated(), 1u);
}

TEST_F(ReportTest, ShareIsHostAndWaitTimeOfTheRankTime) {
  stream_.addOperation(1, StreamBuilder::kIssueNs, 1, 1, 100'000'000);
  const Report by_op = report({ReportKey::kOp});
  const double run_ns = 100'000'000;
  EXPECT_DOUBLE_EQ(by_op.rows[0].share, (10'000 + 99'980'000) / run_ns);
}

TEST_F(ReportTest, AnUndefinedCallIsReportedAsUnknown) {
  stream_.add(
      IssueRow{.op = 1, .issue_ns = StreamBuilder::kIssueNs, .call = 9});
  const Report by = report({ReportKey::kOp, ReportKey::kGroup});
  EXPECT_EQ(by.rows[0].keys, (std::vector<std::string>{"unknown", "-"}));
}

TEST_F(ReportTest, TimeThatRunsBackwardsIsNoSample) {
  stream_.add(IssueRow{
      .op = 1, .issue_ns = StreamBuilder::kIssueNs, .call = 1, .seq = 1});
  stream_.add(DoneRow{.op = 1, .end_ns = StreamBuilder::kIssueNs - 1});
  EXPECT_EQ(report({}).rows[0].completion.count, 0u);
}

}  // namespace
}  // namespace traced
