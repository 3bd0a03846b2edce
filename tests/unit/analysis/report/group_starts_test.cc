// Group starts and first calls in a report of two ranks.

#include <gtest/gtest.h>

#include "analysis/report/report_builder.h"
#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced {
namespace {

using testing::StreamBuilder;

constexpr std::int64_t kNs = StreamBuilder::kIssueNs;

class GroupStartsTest : public ::testing::Test {
 protected:
  GroupStartsTest() {
    for (StreamBuilder* stream : {&first_, &second_}) {
      stream->addGroup("dp", 0, 2).set_group_rank(stream == &second_);
      stream->addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64);
      stream->addCall(v1::OPERATION_ALL_REDUCE, 1, 128, 128);
    }
  }

  // Adds an operation of both ranks, issued at the same time.
  void addBoth(std::uint64_t seq, std::uint32_t call, std::int64_t ns) {
    for (StreamBuilder* stream : {&first_, &second_}) {
      stream->addOperation(10 * seq, kNs + 1'000'000'000 * seq, call, seq, ns);
    }
  }

  Report report() {
    testing::writeFile(dir_.path() + "/0", first_.takeChunk(true));
    testing::writeFile(dir_.path() + "/1", second_.takeChunk(true));
    const auto set = openTraceSet({dir_.path()});
    EXPECT_TRUE(set);
    return buildReport(*set, {ReportKey::kOp});
  }

  testing::TempDir dir_;
  StreamBuilder first_{0};
  StreamBuilder second_{1};
};

TEST_F(GroupStartsTest, TheFirstCallIsApartFromTheLaterEqualOnes) {
  addBoth(1, 1, 90'000'000);
  addBoth(2, 1, 1'000'000);
  addBoth(3, 2, 5'000'000);
  addBoth(4, 1, 3'000'000);
  const Report made = report();
  ASSERT_EQ(made.group_starts.size(), 1u);
  const GroupStart& start = made.group_starts[0];
  EXPECT_EQ(start.first_op, "all_reduce");
  EXPECT_EQ(start.first.count(), 2u);
  EXPECT_EQ(start.first.longest().ns, 90'000'000u);
  EXPECT_EQ(start.later_ns.count(), 4u);
  EXPECT_NEAR(start.later_ns.percentile(50), 1e6, 4e3);
  EXPECT_EQ(made.ranks[0].first_calls_ns, 90'000'000u);

  const ReportRow& row = made.rows[0];
  EXPECT_EQ(row.left_out, 2u);
  EXPECT_EQ(row.totals.calls, 8u);
  EXPECT_EQ(row.completion.count, 8u);
  EXPECT_EQ(row.completion.total_ns, 198'000'000u);
  EXPECT_EQ(row.completion.max_ns, 5'000'000u);
  EXPECT_EQ(row.totals.split.transfer.count, 8u);
  EXPECT_EQ(row.split.transfer().count(), 6u);
  EXPECT_EQ(row.split.transfer().max().ns, 5'000'000);
}

TEST_F(GroupStartsTest, ARowOfFirstCallsShowsThem) {
  addBoth(1, 1, 90'000'000);
  const ReportRow row = report().rows.at(0);
  EXPECT_EQ(row.left_out, 0u);
  EXPECT_EQ(row.completion.max_ns, 90'000'000u);
  EXPECT_EQ(row.split.transfer().max().ns, 90'000'000);
}

// Recording began after the first call.
TEST_F(GroupStartsTest, ALaterCallIsNoFirstCall) {
  addBoth(5, 1, 90'000'000);
  addBoth(6, 1, 1'000'000);
  const Report made = report();
  EXPECT_TRUE(made.group_starts.at(0).first.empty());
  EXPECT_EQ(made.rows.at(0).completion.max_ns, 90'000'000u);
}

TEST_F(GroupStartsTest, TheTimeOfCreationIsThatOfTheSlowestRank) {
  addBoth(1, 1, 1'000'000);
  std::int64_t took_ns = 40'000'000;
  for (StreamBuilder* stream : {&first_, &second_}) {
    const auto add = [&](std::uint64_t position, v1::FunctionEvent event,
                         std::int64_t at_ns, std::uint32_t group) {
      stream->add(FunctionRow{.position = position,
                              .at_ns = StreamBuilder::kStartNs + at_ns,
                              .call = 1,
                              .event = event,
                              .group = group});
    };
    add(1, v1::FUNCTION_EVENT_CREATION_BEGAN, -took_ns, 0);
    add(2, v1::FUNCTION_EVENT_BARRIER_BEGAN, -3'000'000, 0);
    add(3, v1::FUNCTION_EVENT_BARRIER_ENDED, -1'000'000, 0);
    add(4, v1::FUNCTION_EVENT_CREATION_ENDED, 0, 1);
    took_ns += 20'000'000;
  }
  const Report made = report();
  const GroupStart& start = made.group_starts.at(0);
  EXPECT_EQ(start.created.count(), 2u);
  EXPECT_EQ(start.created.p50Ns(), 40'000'000u);
  EXPECT_EQ(start.created.longest().ns, 60'000'000u);
  EXPECT_EQ(start.created.longest().rank, 1u);
  EXPECT_EQ(start.barrier.longest().ns, 2'000'000u);
  EXPECT_EQ(made.ranks[1].creating_ns, 60'000'000u);
}

// Two threads of rank 0 create groups from 0 to 30 ms and from 10 to 50 ms.
TEST_F(GroupStartsTest, OverlappingCreationsCountOnce) {
  const auto add = [&](std::uint64_t position, std::uint64_t call,
                       v1::FunctionEvent event, std::int64_t at_ns) {
    first_.add(FunctionRow{.position = position,
                           .at_ns = StreamBuilder::kStartNs + at_ns,
                           .call = call,
                           .event = event});
  };
  add(1, 1, v1::FUNCTION_EVENT_CREATION_BEGAN, 0);
  add(2, 2, v1::FUNCTION_EVENT_CREATION_BEGAN, 10'000'000);
  add(3, 1, v1::FUNCTION_EVENT_CREATION_ENDED, 30'000'000);
  add(4, 2, v1::FUNCTION_EVENT_CREATION_FAILED, 50'000'000);
  addBoth(1, 1, 1'000'000);
  const Report made = report();
  EXPECT_EQ(made.ranks[0].creating_ns, 50'000'000u);
  EXPECT_EQ(made.ranks[0].failed_to_create, 1u);
  EXPECT_EQ(made.ranks[0].still_creating, 0u);
  EXPECT_EQ(made.ranks[1].creating_ns, std::nullopt);
}

}  // namespace
}  // namespace traced
