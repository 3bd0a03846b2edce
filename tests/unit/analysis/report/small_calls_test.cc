#include "analysis/report/small_calls.h"

#include <gtest/gtest.h>

#include "analysis/reading/stream_assembler.h"
#include "support/stream_builder.h"

namespace traced {
namespace {

using testing::StreamBuilder;

constexpr std::uint64_t kTookNs = 10'000;
constexpr std::uint64_t kCostNs = 1'000;

// How often a line issues a call, and how long it is idle in between.
struct Loop {
  std::uint64_t calls = 200;
  std::uint64_t bytes = 4096;
  std::uint64_t idle_ns = kTookNs / 2;
  std::uint64_t batch = 0;
  std::string parent{};
  std::uint32_t members = 2;
  std::uint64_t first_id = 0;
  // Time of the run.
  std::uint64_t run_ns = 100 * 200 * kCostNs;
};

std::vector<SmallCallSite> sitesOf(const Loop& loop) {
  StreamBuilder stream(0);
  stream.addGroup("dp", 0, loop.members);
  stream.addCall(v1::OPERATION_ALL_REDUCE, 1, loop.bytes, loop.bytes);
  v1::Stack& stack = stream.addStack();
  v1::Frame& frame = *stack.add_frame();
  frame.set_function("step");
  frame.set_file("/job/train.py");
  frame.set_line(31);
  stack.set_site(1);
  stream.addContext().set_parent(loop.parent);
  StreamAssembler assembler(stream.header());
  v1::Payload payload = stream.payload();
  assembler.add(payload);
  // Four steps, at the positions 0, 50, 100 and 150.
  for (std::uint64_t i = 0; i < 4; ++i) {
    assembler.table().marks.add(
        MarkRow{50 * i, StreamBuilder::kIssueNs, v1::MARK_KIND_STEP, i});
  }
  StreamTable table = std::move(assembler).finish();

  SmallCalls::OfStream of_stream(table);
  std::int64_t ns = StreamBuilder::kIssueNs;
  for (std::uint64_t i = 0; i < loop.calls; ++i) {
    AssembledOperation op;
    op.id = loop.first_id + i;
    op.call = 0;
    op.stack = 1;
    op.context = 1;
    op.batch = loop.batch;
    op.issued = Instant(ns);
    op.returned = Instant(ns += kTookNs);
    of_stream.add(op, table.definitions.calls()[0], kCostNs);
    table.operations.push_back(op);
    ns += static_cast<std::int64_t>(loop.idle_ns);
  }
  SmallCalls one, all;
  one.add(of_stream);
  all.add(one);
  return std::move(all).finish(loop.run_ns);
}

TEST(SmallCallsTest, FindsALoopOfSmallCalls) {
  const auto sites = sitesOf({});
  ASSERT_EQ(sites.size(), 1u);
  EXPECT_EQ(sites[0].site, "/job/train.py:31 in step");
  EXPECT_EQ(sites[0].op, "all_reduce");
  EXPECT_EQ(sites[0].calls, 200u);
  EXPECT_EQ(sites[0].quick, 199u);
  EXPECT_EQ(sites[0].cost_ns, 200 * kCostNs);
  EXPECT_EQ(sites[0].p50_bytes, 4096);
}

TEST(SmallCallsTest, CountsStepsOnlyIfMostHaveCalls) {
  const auto within = sitesOf({});
  ASSERT_EQ(within.size(), 1u);
  EXPECT_EQ(within[0].steps, 4u);
  const auto after = sitesOf({.first_id = 150});
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(after[0].steps, 0u);
}

TEST(SmallCallsTest, FindsNoCallsThatFewerCannotReplace) {
  EXPECT_TRUE(sitesOf({.calls = 100, .run_ns = 1}).empty());
  EXPECT_EQ(sitesOf({.calls = 101, .run_ns = 1}).size(), 1u);
  EXPECT_TRUE(sitesOf({.bytes = 65537}).empty());
  EXPECT_TRUE(sitesOf({.bytes = 0}).empty());
  EXPECT_TRUE(sitesOf({.idle_ns = kTookNs}).empty());
  EXPECT_TRUE(sitesOf({.batch = 1}).empty());
  EXPECT_TRUE(sitesOf({.members = 1}).empty());
  EXPECT_TRUE(sitesOf({.parent = "all_gather_object"}).empty());
  EXPECT_TRUE(sitesOf({.run_ns = 100 * 200 * kCostNs + 100}).empty());
}

}  // namespace
}  // namespace traced
