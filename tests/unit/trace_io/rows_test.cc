#include "trace_io/rows.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace traced {
namespace {

TEST(RowsTest, UndoesDifferencesFromTheAnchor) {
  v1::IssueRows table;
  for (const int op : {5, 1, -3}) table.add_op_delta(op);
  for (const int ns : {-100, 30, 40}) table.add_issue_ns_delta(ns);
  for (const int seq : {1, 2, 3}) table.add_seq(seq);
  std::vector<IssueRow> rows;
  forEachRow(table, 1000, [&](const IssueRow& row) { rows.push_back(row); });
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].op, 5u);
  EXPECT_EQ(rows[2].op, 3u);
  EXPECT_EQ(rows[0].issue_ns, 900);
  EXPECT_EQ(rows[2].issue_ns, 970);
  EXPECT_EQ(rows[2].seq, 3u);
}

TEST(RowsTest, AnEmptyColumnIsAllZero) {
  v1::WaitRows table;
  table.add_op_delta(1);
  forEachRow(table, 50, [](const WaitRow& row) {
    EXPECT_EQ(row.wait_begin_ns, 50);
    EXPECT_EQ(row.wait_ns, 0u);
    EXPECT_EQ(row.saw_end, 0u);
  });
}

TEST(RowsTest, ExtremeDifferencesWrapAround) {
  v1::ReleaseRows table;
  for (int i = 0; i < 3; ++i) {
    table.add_op_delta(std::numeric_limits<std::int64_t>::max());
    table.add_release_ns_delta(std::numeric_limits<std::int64_t>::min());
  }
  int rows = 0;
  forEachRow(table, -1, [&](const ReleaseRow&) { ++rows; });
  EXPECT_EQ(rows, 3);
}

TEST(RowsTest, AColumnOfAnotherLengthIsNoticedInEveryTable) {
  v1::Payload payload;
  EXPECT_TRUE(columnsAgree(payload));
  payload.mutable_issued()->add_op_delta(1);
  payload.mutable_issued()->add_seq(1);
  EXPECT_TRUE(columnsAgree(payload));
  EXPECT_EQ(rowCount(payload), 1u);
  payload.mutable_issued()->add_seq(2);
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
  released.mutable_released()->add_release_ns_delta(1);
  EXPECT_FALSE(columnsAgree(released));
}

}  // namespace
}  // namespace traced
