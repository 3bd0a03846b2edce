#include "analysis/stream/thread_samples.h"

#include <gtest/gtest.h>

#include <utility>

#include "analysis/reading/stream_assembler.h"
#include "support/stream_builder.h"

namespace traced {
namespace {

using testing::StreamBuilder;

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kEpochNs = StreamBuilder::kIssueNs;
constexpr std::uint32_t kMainThread = 100;

class ThreadSamplesTest : public ::testing::Test {
 protected:
  ThreadSamplesTest() : stream_(0) {
    stream_.header().set_pid(kMainThread);
    const std::uint32_t group = stream_.addGroup("dp", 0, 2).id();
    call_ = stream_.addCall(v1::OPERATION_ALL_REDUCE, group, 4, 4).id();
  }

  std::uint32_t stack(const std::string& function, std::uint32_t line) {
    v1::Stack& stack = stream_.addStack();
    v1::Frame& frame = *stack.add_frame();
    frame.set_function(function);
    frame.set_file("/job/train.py");
    frame.set_line(line);
    stack.set_site(1);
    return stack.id();
  }
  ThreadSampleRow& sample(std::uint64_t position, std::int64_t after_ns,
                          std::uint32_t stack,
                          std::uint32_t tid = kMainThread) {
    return rows_.emplace_back(ThreadSampleRow{.position = position,
                                              .sample_ns = kEpochNs + after_ns,
                                              .tid = tid,
                                              .stack = stack,
                                              .state = 'S'});
  }
  std::vector<ThreadStanding> standings() {
    StreamAssembler assembler(stream_.header());
    v1::Payload payload = stream_.payload();
    assembler.add(payload);
    StreamTable table = std::move(assembler).finish();
    table.operations = operations_;
    table.thread_samples = rows_;
    table.functions = functions_;
    table.last = Instant(kEpochNs + 60 * kSecondNs);
    return standingsAtEnd(table);
  }

  StreamBuilder stream_;
  std::uint32_t call_ = 0;
  std::vector<ThreadSampleRow> rows_;
  std::vector<AssembledOperation> operations_;
  std::vector<FunctionRow> functions_;
};

TEST_F(ThreadSamplesTest, CountsTheSamplesInARowAtOneLine) {
  const std::uint32_t before = stack("f", 1);
  const std::uint32_t at = stack("g", 2);
  sample(10, 5 * kSecondNs, before);
  sample(11, 10 * kSecondNs, at).cpu_ns_plus_1 = 11;
  sample(12, 30 * kSecondNs, at).cpu_ns_plus_1 = 31;
  const auto found = standings();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].site, "/job/train.py:2 in g");
  EXPECT_TRUE(found[0].is_main);
  EXPECT_EQ(found[0].samples, 2u);
  EXPECT_EQ(found[0].stood_ns, static_cast<std::uint64_t>(20 * kSecondNs));
  EXPECT_EQ(found[0].before_end_ns, static_cast<std::uint64_t>(30 * kSecondNs));
  EXPECT_EQ(found[0].cpu_ns, 20u);
  EXPECT_EQ(found[0].innermost, "");
}

TEST_F(ThreadSamplesTest, TheMainThreadIsFirst) {
  sample(10, 5 * kSecondNs, 0, 7);
  sample(11, 5 * kSecondNs, stack("f", 1));
  const auto found = standings();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].tid, kMainThread);
  EXPECT_FALSE(found[1].is_main);
  EXPECT_TRUE(found[1].frames.empty());
}

TEST_F(ThreadSamplesTest, SamplesBeforeTheLastOperationOrWaitAreOver) {
  sample(10, 5 * kSecondNs, stack("f", 1));
  AssembledOperation op;
  op.id = 20;
  operations_ = {op};
  EXPECT_TRUE(standings().empty());
  operations_[0].id = 5;
  EXPECT_EQ(standings().size(), 1u);
  operations_[0].wait_ended = Instant(kEpochNs + 6 * kSecondNs);
  EXPECT_TRUE(standings().empty());
}

TEST_F(ThreadSamplesTest, NamesWhereTheHolderOfTheLockStood) {
  sample(10, 5 * kSecondNs, stack("f", 1)).interpreter =
      v1::INTERPRETER_BIT_WAITS_FOR_LOCK;
  sample(11, 5 * kSecondNs, stack("hold", 9), 7).interpreter =
      v1::INTERPRETER_BIT_HOLDS_LOCK;
  const auto found = standings();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kind, StandingKind::kWaitsForGil);
  EXPECT_EQ(found[0].gil_holder, "/job/train.py:9 in hold");
}

TEST_F(ThreadSamplesTest, HasTheExceptionThatTheThreadHandles) {
  const std::uint32_t id = stack("f", 1);
  v1::Stack& last = *stream_.payload().mutable_stack()->rbegin();
  last.mutable_handling()->set_type("ValueError");
  last.mutable_handling()->set_message("bad batch");
  sample(10, 5 * kSecondNs, id);
  EXPECT_EQ(standings().at(0).handling, "ValueError: bad batch");
}

TEST_F(ThreadSamplesTest, OnlyEqualSamplesAreCounted) {
  const std::uint32_t at = stack("f", 1);
  const std::uint32_t sleeps = stream_.addText("clock_nanosleep");
  sample(10, 5 * kSecondNs, at).waits_in = stream_.addText("wait4");
  sample(11, 10 * kSecondNs, at).waits_in = sleeps;
  sample(12, 30 * kSecondNs, at).waits_in = sleeps;
  EXPECT_EQ(standings().at(0).samples, 2u);
  for (ThreadSampleRow& row : rows_) row.stack = 0;  // not read
  EXPECT_EQ(standings().at(0).samples, 1u);
}

TEST_F(ThreadSamplesTest, SamplesBeforeAStepOrAGroupFunctionAreOver) {
  sample(10, 5 * kSecondNs, stack("f", 1));
  functions_ = {{.position = 9}};
  EXPECT_EQ(standings().size(), 1u);
  functions_[0].position = 11;
  EXPECT_TRUE(standings().empty());
}

TEST_F(ThreadSamplesTest, NamesTheThreadThatIssuedTheLastOperation) {
  v1::Thread& thread = *stream_.payload().add_thread();
  thread.set_id(3);
  thread.set_tid(7);
  AssembledOperation op;
  op.id = 1;
  op.thread = 3;
  operations_ = {op};
  sample(10, 5 * kSecondNs, stack("f", 1));
  sample(11, 5 * kSecondNs, stack("g", 2), 7);
  const auto found = standings();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_FALSE(found[0].issued_last);
  EXPECT_TRUE(found[1].issued_last);
}

TEST_F(ThreadSamplesTest, ManyRowsTakeLittleTime) {
  const std::uint32_t id = stack("f", 1);
  for (std::uint64_t i = 0; i < 300'000; ++i) {
    sample(i, 5 * kSecondNs, id, static_cast<std::uint32_t>(i));
  }
  EXPECT_LE(standings().size(), 256u);
}

}  // namespace
}  // namespace traced
