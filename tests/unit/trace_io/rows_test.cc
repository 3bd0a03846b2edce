#include "trace_io/rows.h"

#include <gtest/gtest.h>

#include <limits>
#include <tuple>
#include <vector>

#include "support/rows_of.h"
#include "trace_io/row_writer.h"

namespace traced {
namespace {

using testing::rowsOf;

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

v1::Payload anchored(std::int64_t ns) {
  v1::Payload payload;
  payload.mutable_anchor()->set_monotonic_ns(ns);
  return payload;
}

TEST(RowsTest, UndoesDifferencesFromTheAnchor) {
  v1::Payload payload = anchored(1000);
  v1::IssueRows& table = *payload.mutable_issued();
  for (const int op : {5, 1, -3}) table.add_op_delta(op);
  for (const int ns : {-100, 30, 40}) table.add_issue_ns_delta(ns);
  const auto rows = rowsOf<IssueRow>(payload);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].op, 5u);
  EXPECT_EQ(rows[2].op, 3u);
  EXPECT_EQ(rows[0].issue_ns, 900);
  EXPECT_EQ(rows[2].issue_ns, 970);
}

TEST(RowsTest, SequenceNumbersAreSteppedWithinACall) {
  v1::Payload payload;
  v1::IssueRows& table = *payload.mutable_issued();
  for (int i = 0; i < 4; ++i) table.add_op_delta(1);
  for (const unsigned call : {1u, 2u, 257u, 2u}) table.add_call(call);
  for (const int step : {70, 5, 2, -1}) table.add_seq_step(step);
  std::vector<std::uint64_t> seqs;
  for (const IssueRow& row : rowsOf<IssueRow>(payload)) seqs.push_back(row.seq);
  EXPECT_EQ(seqs, (std::vector<std::uint64_t>{70, 5, 72, 4}));
}

// Each instant is relative to the previous one of the same operation, in the
// order of the tables. The first instant is relative to the anchor if the
// operation was issued in another payload.
TEST(RowsTest, UndoesDifferencesWithinAnOperation) {
  v1::Payload payload = anchored(1000);
  for (int i = 0; i < 2; ++i) {
    payload.mutable_issued()->add_op_delta(1);
    payload.mutable_issued()->add_issue_ns_delta(100);  // 1100, 1200
  }
  payload.mutable_returned()->add_op_delta(2);
  payload.mutable_returned()->add_return_ns_since(3);  // of 2: 1203
  payload.mutable_done()->add_op_delta(9);
  payload.mutable_done()->add_end_ns_since(-7);  // of 9: 993
  for (const int op : {1, 1, -1}) payload.mutable_waited()->add_op_delta(op);
  for (const int since : {4, 5, 6}) {  // of 1: 1104, of 2: 1208, of 1: 1120
    payload.mutable_waited()->add_wait_begin_ns_since(since);
    payload.mutable_waited()->add_wait_ns(10);
  }
  payload.mutable_released()->add_op_delta(2);
  payload.mutable_released()->add_release_ns_since(1);  // of 2: 1219
  EXPECT_EQ(rowsOf<ReturnRow>(payload).at(0).return_ns, 1203);
  EXPECT_EQ(rowsOf<DoneRow>(payload).at(0).end_ns, 993);
  const auto waits = rowsOf<WaitRow>(payload);
  EXPECT_EQ(waits.at(0).wait_begin_ns, 1104);
  EXPECT_EQ(waits.at(1).wait_begin_ns, 1208);
  EXPECT_EQ(waits.at(2).wait_begin_ns, 1120);
  EXPECT_EQ(rowsOf<ReleaseRow>(payload).at(0).release_ns, 1219);
}

TEST(RowsTest, TheFirstOfTwoIssuesCounts) {
  v1::Payload payload;
  for (const int op : {7, -4, 4}) payload.mutable_issued()->add_op_delta(op);
  for (const int ns : {100, 100, 100}) {
    payload.mutable_issued()->add_issue_ns_delta(ns);
  }
  for (const int op : {3, 4}) payload.mutable_returned()->add_op_delta(op);
  const auto rows = rowsOf<ReturnRow>(payload);
  EXPECT_EQ(rows.at(0).return_ns, 200);  // of 3
  EXPECT_EQ(rows.at(1).return_ns, 100);  // of 7
}

TEST(RowsTest, AnEmptyColumnIsAllZero) {
  v1::Payload payload = anchored(50);
  payload.mutable_waited()->add_op_delta(1);
  const auto rows = rowsOf<WaitRow>(payload);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].wait_begin_ns, 50);
  EXPECT_EQ(rows[0].wait_ns, 0u);
  EXPECT_EQ(rows[0].saw_end, 0u);
}

TEST(RowsTest, ExtremeDifferencesWrapAround) {
  v1::Payload payload = anchored(-1);
  for (int i = 0; i < 3; ++i) {
    payload.mutable_issued()->add_op_delta(kMax);
    payload.mutable_issued()->add_issue_ns_delta(kMin);
    payload.mutable_issued()->add_seq_step(kMax);
    payload.mutable_waited()->add_op_delta(kMax);
    payload.mutable_waited()->add_wait_begin_ns_since(kMin);
    payload.mutable_waited()->add_wait_ns(~std::uint64_t{0});
  }
  EXPECT_EQ(rowsOf<IssueRow>(payload).size(), 3u);
  EXPECT_EQ(rowsOf<WaitRow>(payload).size(), 3u);
}

TEST(RowsTest, WrittenRowsAreRead) {
  v1::Payload payload = anchored(77);
  const std::vector<std::int64_t> instants = {5, kMax, 6, kMin, -9};
  const std::vector<std::uint64_t> ops = {3, 4, 9, 8, ~std::uint64_t{0}};
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const std::uint32_t other = i % 2 ? 1 : 0;
    addRow(payload, IssueRow{ops[i], instants[i], other, 0, i * i, 1, ops[i]});
    addRow(payload, ReturnRow{ops[4 - i], instants[4 - i], other, 0});
    addRow(payload, DoneRow{ops[i], instants[4 - i], 2, 0, other, 6});
    addRow(payload, WaitRow{ops[i], instants[i], ops[i], 0, other, 1, 0, 2});
    addRow(payload, ReleaseRow{ops[4 - i] + 1, instants[i]});
    addRow(payload, MethodRow{ops[4 - i], other, 3, other});
    addRow(payload, MarkRow{ops[i], instants[i], 2, ops[i], other});
  }
  finishRows(payload);
  ASSERT_TRUE(columnsAgree(payload));
  EXPECT_EQ(payload.issued().buffers_size(), 0);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const std::uint32_t other = i % 2 ? 1 : 0;
    const IssueRow issue = rowsOf<IssueRow>(payload).at(i);
    EXPECT_EQ(std::tie(issue.op, issue.issue_ns),
              std::tie(ops[i], instants[i]));
    EXPECT_EQ(issue.call, other);
    EXPECT_EQ(issue.seq, i * i);
    EXPECT_EQ(issue.batch, ops[i]);
    const ReturnRow ret = rowsOf<ReturnRow>(payload).at(i);
    EXPECT_EQ(ret.return_ns, instants[4 - i]);
    EXPECT_EQ(ret.outcome, other);
    EXPECT_EQ(rowsOf<DoneRow>(payload).at(i).end_ns, instants[4 - i]);
    EXPECT_EQ(rowsOf<DoneRow>(payload).at(i).error, other);
    const WaitRow wait = rowsOf<WaitRow>(payload).at(i);
    EXPECT_EQ(wait.wait_begin_ns, instants[i]);
    EXPECT_EQ(wait.wait_ns, ops[i]);
    EXPECT_EQ(rowsOf<ReleaseRow>(payload).at(i).release_ns, instants[i]);
    EXPECT_EQ(rowsOf<ReleaseRow>(payload).at(i).op, ops[4 - i] + 1);
    const MethodRow method = rowsOf<MethodRow>(payload).at(i);
    EXPECT_EQ(method.op, ops[4 - i]);
    EXPECT_EQ(method.algorithm, other);
    EXPECT_EQ(method.protocol, 3u);
    EXPECT_EQ(method.channels, other);
    EXPECT_EQ(rowsOf<MarkRow>(payload).at(i).mark_ns, instants[i]);
    EXPECT_EQ(rowsOf<MarkRow>(payload).at(i).text, other);
  }
}

TEST(RowsTest, AColumnOfAnotherLengthIsNoticedInEveryTable) {
  v1::Payload payload;
  EXPECT_TRUE(columnsAgree(payload));
  payload.mutable_issued()->add_op_delta(1);
  payload.mutable_issued()->add_seq_step(1);
  EXPECT_TRUE(columnsAgree(payload));
  EXPECT_EQ(rowCount(payload), 1u);
  payload.mutable_issued()->add_seq_step(2);
  EXPECT_FALSE(columnsAgree(payload));

  v1::Payload done;
  done.mutable_done()->add_outcome(1);
  EXPECT_FALSE(columnsAgree(done));
  v1::Payload waited;
  waited.mutable_waited()->add_stall_ns_plus_1(1);
  EXPECT_FALSE(columnsAgree(waited));
  v1::Payload returned;
  returned.mutable_returned()->add_error(1);
  EXPECT_FALSE(columnsAgree(returned));
  v1::Payload released;
  released.mutable_released()->add_release_ns_since(1);
  EXPECT_FALSE(columnsAgree(released));
}

}  // namespace
}  // namespace traced
