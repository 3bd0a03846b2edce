// Tests the sums over operations, from records at fixed instants.

#include "recorder/metrics/operation_sums.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "ring_io/chunks/encode_definitions.h"
#include "ring_io/ring/group_info.h"
#include "support/filled_ring.h"
#include "support/record_calls.h"

namespace traced {
namespace {

constexpr std::int64_t kBetter = OperationProgress::kBetterEndNs;
constexpr std::int64_t kMaxDuration = OperationProgress::kMaxDurationNs;
constexpr std::uint64_t kBytes = 64;

class OperationSumsTest : public ::testing::Test {
 protected:
  OperationSumsTest() : builder_(v1::Header()), sums_(builder_) {
    memory_.reset(static_cast<char*>(
        std::aligned_alloc(kSlotBytes, Ring::bytesFor(kSlots))));
    std::memset(memory_.get(), 0, Ring::bytesFor(kSlots));
    ring_ = std::make_unique<Ring>(memory_.get(), kSlots);
    testing::define(*ring_, RecordKind::kDefineGroup, 1,
                    encodeGroup(1, testing::worldOfTwo(), 0));
    CallDescription call(Operation::kAllReduce, 1);
    call.fields().bytes_in = kBytes;
    define(kCall, call);
    call.fields().simulated = true;
    define(kSimulated, call);
    // Calls like DDP, and the same on a device.
    GroupInfo on_device = testing::worldOfTwo();
    on_device.backend = "nccl";
    testing::define(*ring_, RecordKind::kDefineGroup, 2,
                    encodeGroup(2, on_device, 0));
    for (const std::uint32_t group : {1, 2}) {
      CallDescription async(Operation::kAllReduce, group);
      async.fields().async_plus_1 = 2;
      define(group == 1 ? kAsync : kOnDevice, async);
    }
  }

  static constexpr std::uint32_t kCall = 1, kSimulated = 2, kAsync = 3,
                                 kOnDevice = 4;

  void define(std::uint32_t id, const CallDescription& call) {
    ring_->pushDefinition(RecordKind::kDefineCall, {id, kUntilRetired},
                          call.bytes(), call.byteSize());
  }
  OpId issue(std::int64_t at_ns, std::uint32_t call = kCall) {
    return ring_->push(RecordKind::kIssue,
                       IssueRecord{at_ns, ++seq_, 0, call, 0, 1});
  }
  void returned(OpId op, std::int64_t at_ns, Outcome outcome = Outcome::kOk) {
    ring_->push(RecordKind::kReturn, ReturnRecord{op, at_ns, 0, outcome});
  }
  void done(OpId op, std::int64_t at_ns, Outcome outcome = Outcome::kOk) {
    ring_->push(RecordKind::kDone,
                DoneRecord{op, at_ns, 0, 0, EndSource::kFuture, outcome});
  }
  void waited(OpId op, std::int64_t begin_ns, std::uint64_t ns, bool saw_end,
              std::uint64_t stall_ns_plus_1 = 0,
              Outcome outcome = Outcome::kOk) {
    ring_->push(RecordKind::kWait, WaitRecord{op, begin_ns, ns, stall_ns_plus_1,
                                              0, 0, outcome, saw_end});
  }
  void released(OpId op, std::int64_t at_ns) {
    ring_->push(RecordKind::kRelease, ReleaseRecord{op, at_ns});
  }
  // Records a synchronous operation: it returns after 2 ns and ends after 10
  // ns.
  void synchronous(std::int64_t at_ns) {
    const OpId op = issue(at_ns);
    ring_->push(RecordKind::kReturnAndWait,
                ReturnAndWaitRecord{op, at_ns + 2, at_ns + 3, 7, 0, 0,
                                    Outcome::kOk, true});
  }

  RankFigures at(std::int64_t now_ns) {
    Ring::Record record;
    while (ring_->read(record)) {
      builder_.add(record);
      sums_.update(record);
    }
    ring_->release();
    return sums_.figures(now_ns);
  }

  struct Free {
    void operator()(char* p) const { std::free(p); }
  };
  static constexpr std::uint64_t kSlots = 65536;
  std::unique_ptr<char, Free> memory_;
  std::unique_ptr<Ring> ring_;
  ChunkBuilder builder_;
  OperationSums sums_;
  std::uint64_t seq_ = 0;
};

TEST_F(OperationSumsTest, AnOperationIsCountedOnce) {
  synchronous(100);
  RankFigures figures = at(200);
  EXPECT_EQ(figures.polled_ns, 200);
  EXPECT_EQ(figures.operations, 1u);
  EXPECT_EQ(figures.bytes, kBytes);
  EXPECT_EQ(figures.own_call_ns, 2u);
  EXPECT_EQ(figures.last_issue_ns, 100);
  EXPECT_EQ(figures.in_flight, 0u);
  EXPECT_EQ(figures.completion_ns, 0u) << "a future may tell an earlier end";
  figures = at(110 + kBetter);
  EXPECT_EQ(figures.completion_ns, 10u);
  EXPECT_EQ(figures.exposed_wait_ns, 7u);
  figures = at(200 + 2 * kMaxDuration);
  EXPECT_EQ(figures.operations, 1u);
  EXPECT_EQ(figures.completion_ns, 10u);
}

// DDP waits for the future of an operation: no record shows that wait.
TEST_F(OperationSumsTest, AWaitWithoutARecordIsBounded) {
  const OpId first = issue(100, kAsync);
  returned(first, 105);
  const OpId second = issue(110, kAsync);
  returned(second, 115);
  done(first, 160);
  done(second, 180);
  released(first, 190);
  released(second, 190);
  synchronous(200);
  const RankFigures figures = at(200 + 2 * kBetter);
  EXPECT_EQ(figures.exposed_wait_ns, 7u);
  EXPECT_EQ(figures.waits_unknown, 2u);
  EXPECT_EQ(figures.unseen_wait_ns, 75u) << "overlap counts once";
  EXPECT_TRUE(figures.unseen_wait_is_bounded);
}

TEST_F(OperationSumsTest, AnOperationInFlightIsBoundedWhenItEnds) {
  const OpId op = issue(100, kAsync);
  returned(op, 105);
  released(op, 106);
  RankFigures figures = at(100 + 3 * kMaxDuration);
  EXPECT_EQ(figures.in_flight, 1u);
  EXPECT_EQ(figures.waits_unknown, 0u);
  EXPECT_EQ(figures.unseen_wait_ns, 0u) << "it adds nothing while in flight";
  EXPECT_TRUE(figures.unseen_wait_is_bounded);
  done(op, 100 + 4 * kMaxDuration);
  figures = at(200 + 4 * kMaxDuration);
  EXPECT_EQ(figures.waits_unknown, 1u);
  EXPECT_EQ(figures.unseen_wait_ns, 4u * kMaxDuration - 5);
  EXPECT_EQ(at(100 + 9 * kMaxDuration).unseen_wait_ns, 4u * kMaxDuration - 5);
}

TEST_F(OperationSumsTest, ALongRecordedWaitIsKnown) {
  const OpId op = issue(100, kAsync);
  returned(op, 105);
  at(100 + 2 * kMaxDuration);
  waited(op, 106, 3 * kMaxDuration, /*saw_end=*/true);
  const RankFigures figures = at(100 + 4 * kMaxDuration);
  EXPECT_EQ(figures.waits_unknown, 0u);
  EXPECT_EQ(figures.unseen_wait_ns, 0u);
}

TEST_F(OperationSumsTest, WithoutAnEndThereIsNoBoundUntilALaterEnd) {
  returned(issue(100, kOnDevice), 105);
  RankFigures figures = at(100 + 2 * kMaxDuration);
  EXPECT_EQ(figures.waits_unknown, 1u);
  EXPECT_FALSE(figures.unseen_wait_is_bounded);
  const std::int64_t later = 3 * kMaxDuration;
  const OpId second = issue(later, kOnDevice);
  returned(second, later + 1);
  released(second, later + 1);
  ring_->push(RecordKind::kDone,
              DoneRecord{second, later + 3, 0, 0, EndSource::kDeviceEvent,
                         Outcome::kOk});
  figures = at(later + 5);
  EXPECT_TRUE(figures.unseen_wait_is_bounded);
  EXPECT_EQ(figures.unseen_wait_ns, static_cast<std::uint64_t>(later) - 100);
}

TEST_F(OperationSumsTest, ADroppedMessageIsBoundedByItsRelease) {
  CallDescription send(Operation::kSend, 1);
  send.fields().async_plus_1 = 2;
  define(9, send);
  const OpId op = issue(100, 9);
  returned(op, 105);
  released(op, 125);
  const RankFigures figures = at(100 + 2 * kMaxDuration);
  EXPECT_EQ(figures.waits_unknown, 1u);
  EXPECT_EQ(figures.unseen_wait_ns, 20u);
}

TEST_F(OperationSumsTest, ABetterEndOfAWaitCounts) {
  const OpId op = issue(100);
  returned(op, 101);
  waited(op, 110, 40, /*saw_end=*/true);
  EXPECT_EQ(at(160).completion_ns, 0u);
  done(op, 130);
  EXPECT_EQ(at(170).completion_ns, 30u);
}

TEST_F(OperationSumsTest, CountsActiveOperationsAsInFlight) {
  const OpId op = issue(100);
  returned(op, 105);
  issue(200);
  RankFigures figures = at(300);
  EXPECT_EQ(figures.operations, 0u);
  ASSERT_EQ(figures.in_flight, 2u);
  ASSERT_EQ(figures.oldest.size(), 2u);
  EXPECT_EQ(figures.oldest[0].op, op);
  EXPECT_EQ(figures.oldest[0].operation, "all_reduce");
  EXPECT_EQ(figures.oldest[0].group_desc, "default_pg");
  EXPECT_EQ(figures.oldest[0].seq, 1u);
  EXPECT_EQ(figures.oldest[0].bytes, kBytes);
  EXPECT_EQ(figures.oldest[0].issue_ns, 100);
  done(op, 310);
  figures = at(320);
  EXPECT_EQ(figures.in_flight, 1u);
  ASSERT_EQ(figures.oldest.size(), 1u);
  EXPECT_EQ(figures.oldest[0].issue_ns, 200);
  EXPECT_EQ(figures.operations, 0u) << "the program is not through with it";
  released(op, 330);
  figures = at(340);
  EXPECT_EQ(figures.operations, 1u);
  EXPECT_EQ(figures.completion_ns, 210u);
}

TEST_F(OperationSumsTest, ALateOperationDelaysNoOther) {
  issue(100);
  for (int i = 0; i < 50; ++i) synchronous(100 + kBetter * i);
  const RankFigures figures = at(200 + kBetter * 51);
  EXPECT_EQ(figures.in_flight, 1u);
  EXPECT_EQ(figures.oldest.at(0).issue_ns, 100);
  EXPECT_EQ(figures.operations, 50u);
  EXPECT_EQ(figures.completion_ns, 500u);
}

TEST_F(OperationSumsTest, AFailureAddsNoTime) {
  const OpId threw = issue(100);
  returned(threw, 105, Outcome::kThrew);
  const OpId failed = issue(200);
  returned(failed, 201);
  done(failed, 230, Outcome::kThrew);
  waited(failed, 240, 5, false, 0, Outcome::kThrew);
  const OpId refused = issue(300);
  waited(refused, 310, 5, true, 0, Outcome::kFalse);
  const OpId by_future = issue(320);
  done(by_future, 330, Outcome::kThrew);
  const RankFigures figures = at(400 + kMaxDuration);
  EXPECT_EQ(figures.failed, 4u);
  EXPECT_EQ(figures.operations, 4u);
  EXPECT_EQ(figures.own_call_ns, 6u);
  EXPECT_EQ(figures.completion_ns, 0u);
  EXPECT_EQ(figures.exposed_wait_ns, 0u);
  EXPECT_EQ(figures.in_flight, 0u);
}

TEST_F(OperationSumsTest, CountsALongOperationBeforeItEnds) {
  const OpId op = issue(100);
  EXPECT_EQ(at(100 + kMaxDuration).operations, 0u);
  RankFigures figures = at(101 + kMaxDuration);
  EXPECT_EQ(figures.operations, 1u);
  EXPECT_EQ(figures.in_flight, 1u) << "it still has no end";
  waited(op, 102 + kMaxDuration, 5, true);
  figures = at(110 + kMaxDuration + kBetter);
  EXPECT_EQ(figures.operations, 1u);
  EXPECT_EQ(figures.in_flight, 0u);
  EXPECT_EQ(figures.completion_ns, 0u);
}

TEST_F(OperationSumsTest, CountsTheReportedStallOfADevice) {
  const OpId op = issue(100);
  returned(op, 101);
  waited(op, 110, 1, /*saw_end=*/false);
  EXPECT_EQ(at(120).operations, 1u);
  EXPECT_EQ(at(120).exposed_wait_ns, 0u) << "the device has not told";
  waited(op, 110, 1, false, /*stall_ns_plus_1=*/71);
  done(op, 200);
  const RankFigures figures = at(210);
  EXPECT_EQ(figures.exposed_wait_ns, 70u);
  EXPECT_EQ(figures.completion_ns, 100u);
}

TEST_F(OperationSumsTest, DoesNotCountEstimatedTimes) {
  released(issue(100, kSimulated), 110);
  const RankFigures figures = at(120);
  EXPECT_EQ(figures.operations, 0u);
  EXPECT_EQ(figures.in_flight, 0u);
  EXPECT_EQ(figures.last_issue_ns, 100);
}

TEST_F(OperationSumsTest, AReleasedWorkMayBeInFlight) {
  const OpId op = issue(100, kAsync);
  returned(op, 101);
  released(op, 102);
  EXPECT_EQ(at(110).in_flight, 1u);
  EXPECT_EQ(at(110 + 2 * kMaxDuration).in_flight, 1u);
  done(op, 120 + 2 * kMaxDuration);
  EXPECT_EQ(at(130 + 2 * kMaxDuration).in_flight, 0u);
}

TEST_F(OperationSumsTest, UnrecordedEndIsUnknownUntilALaterEnd) {
  const OpId first = issue(100, kOnDevice);
  returned(first, 101);
  EXPECT_TRUE(at(110).may_have_more_in_flight);
  EXPECT_TRUE(at(110 + 2 * kMaxDuration).may_have_more_in_flight);
  const std::int64_t later = 200 + 2 * kMaxDuration;
  const OpId second = issue(later, kOnDevice);
  returned(second, later + 1);
  ring_->push(RecordKind::kDone,
              DoneRecord{second, later + 2, 0, 0, EndSource::kDeviceEvent,
                         Outcome::kOk});
  EXPECT_FALSE(at(later + 3).may_have_more_in_flight);
  returned(issue(later + 4, kOnDevice), later + 5);
  const RankFigures figures = at(later + 6);
  EXPECT_EQ(figures.in_flight, 1u) << "the device reports ends";
  EXPECT_FALSE(figures.may_have_more_in_flight);
}

TEST_F(OperationSumsTest, ALostRecordMayBeTheEnd) {
  returned(issue(100, kAsync), 101);
  EXPECT_EQ(at(110).in_flight, 1u);
  sums_.addLoss();
  EXPECT_EQ(at(120).in_flight, 0u);
  EXPECT_TRUE(at(120).may_have_more_in_flight);
}

TEST_F(OperationSumsTest, MemoryIsBoundedAndCountsAreNot) {
  constexpr std::uint64_t kMany =
      OperationSums::kMaxYoung + 4 * OperationSums::kMaxSlow;
  for (std::uint64_t i = 0; i < kMany; ++i) issue(100);
  const RankFigures figures = at(100 + kBetter);
  EXPECT_EQ(figures.oldest.size(), RankFigures::kMaxReported);
  EXPECT_LE(figures.in_flight, OperationSums::kMaxSlow);
  EXPECT_GT(figures.in_flight, OperationSums::kMaxSlow / 2);
  EXPECT_EQ(figures.operations + figures.in_flight, kMany);
  EXPECT_EQ(at(101 + kMaxDuration).operations, kMany);
}

TEST_F(OperationSumsTest, StepsAreReported) {
  EXPECT_FALSE(at(10).step);
  ring_->push(RecordKind::kMark, MarkRecord{100, 7, MarkKind::kStep});
  RankFigures figures = at(150);
  EXPECT_EQ(figures.step, 7u);
  EXPECT_EQ(figures.step_began_ns, 100);
  EXPECT_FALSE(figures.step_ns);
  ring_->push(RecordKind::kMark, MarkRecord{160, 8, MarkKind::kStep});
  ring_->push(RecordKind::kMark, MarkRecord{170, 0, MarkKind::kFlush});
  figures = at(180);
  EXPECT_EQ(figures.step, 8u);
  EXPECT_EQ(figures.step_ns, 60u);
}

}  // namespace
}  // namespace traced
