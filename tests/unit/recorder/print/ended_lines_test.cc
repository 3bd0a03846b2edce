// Tests the line of an operation that is over.

#include "recorder/print/ended_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/examined.h"
#include "ring_io/chunks/encode_definitions.h"
#include "support/filled_ring.h"

namespace traced {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kMs = 1'000'000;

// Rank 1 of a group of four.
class EndedLinesTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kSlots = 4096;

  EndedLinesTest()
      : memory_(Ring::bytesFor(kSlots) / sizeof(RingSlot)),
        ring_(memory_.data(), kSlots),
        builder_(v1::Header()) {
    header_.set_rank(1);
    header_.mutable_started()->set_monotonic_ns(0);
    GroupInfo info;
    info.desc = "dp";
    info.leg = "cpu";
    info.members = {0, 1, 2, 3};
    info.group_rank = 1;
    testing::define(ring_, RecordKind::kDefineGroup, 1,
                    encodeGroup(1, info, 0));
    define(1, Operation::kAllReduce);
    define(2, Operation::kBarrier);
    makeLines({});
  }

  void makeLines(const ValueOptions& values) {
    lines_ = std::make_unique<EndedLines>(PrintMode::kAll, values, builder_,
                                          header_);
  }
  void define(std::uint32_t id, Operation op) {
    CallDescription call(op, 1);
    call.fields().device = DeviceType::kCpu;
    call.fields().tensors_in = op == Operation::kBarrier ? 0 : 1;
    call.fields().in_place = true;
    ring_.pushDefinition(RecordKind::kDefineCall, {id, kUntilRetired},
                         call.bytes(), call.byteSize());
  }
  OpId issue(std::int64_t at_ns, std::uint32_t call = 1) {
    return ring_.push(RecordKind::kIssue,
                      IssueRecord{at_ns, ++seq_, 0, call, 0, 1});
  }
  void done(OpId op, std::int64_t at_ns) {
    ring_.push(RecordKind::kDone,
               DoneRecord{op, at_ns, 0, 0, EndSource::kFuture, Outcome::kOk});
  }
  void wait(OpId op, std::int64_t begin_ns, std::int64_t ns,
            bool saw_end = true) {
    ring_.push(RecordKind::kWait,
               WaitRecord{op, begin_ns, static_cast<std::uint64_t>(ns), 0, 0, 0,
                          Outcome::kOk, saw_end});
  }
  void summarize(OpId op, ExaminedAt at, double value) {
    StatisticsRow row;
    row.op = op;
    row.at = static_cast<std::uint32_t>(at);
    row.elements = 4;
    row.minimum_bits = row.maximum_bits = row.mean_bits =
        std::bit_cast<std::uint64_t>(value);
    ring_.pushLong(RecordKind::kStatistics, row);
  }
  std::vector<std::string> lines(std::int64_t now_ns = 0) {
    Ring::Record record;
    while (ring_.read(record)) {
      builder_.add(record);
      lines_->add(record);
    }
    ring_.release();
    return lines_->take(now_ns);
  }

  std::vector<RingSlot> memory_;
  Ring ring_;
  ChunkBuilder builder_;
  v1::Header header_;
  std::unique_ptr<EndedLines> lines_;
  std::uint64_t seq_ = 0;
};

TEST_F(EndedLinesTest, HaveEverythingThatIsKnown) {
  ring_.push(RecordKind::kMark, MarkRecord{0, 7, MarkKind::kStep});
  const OpId op = issue(5 * kMs);
  ring_.push(RecordKind::kReturn,
             ReturnRecord{op, 5 * kMs + kMs / 10, 0, Outcome::kOk});
  done(op, 8 * kMs);
  wait(op, 6 * kMs, 2 * kMs);
  EXPECT_THAT(
      lines(),
      ElementsAre(
          "[TRACE] rank 1 +0.005000 s step 7 all_reduce #1 on dp (4 "
          "ranks 0-3), - - 0 B, call 1 of this shape: host 0.100 ms, end after "
          "3.000 ms, waited 2.000 ms"));
  EXPECT_THAT(lines(), IsEmpty());
}

TEST_F(EndedLinesTest, FollowTheirEnds) {
  const OpId first = issue(kMs);
  const OpId second = issue(2 * kMs, /*call=*/2);
  EXPECT_THAT(lines(), IsEmpty());
  wait(second, 3 * kMs, kMs);
  wait(first, 4 * kMs, kMs);
  EXPECT_THAT(
      lines(),
      ElementsAre(HasSubstr("[BARRIER] rank 1 +0.002000 s barrier #2 on dp"),
                  HasSubstr("all_reduce #1 on dp")));
}

TEST_F(EndedLinesTest, MarkABound) {
  const OpId op = issue(0);
  wait(op, kMs, 2 * kMs);
  EXPECT_THAT(
      lines(),
      ElementsAre(HasSubstr("end after at most 3.000 ms (seen at wait)")));
}

TEST_F(EndedLinesTest, DoNotWaitForAWaitForever) {
  const OpId op = issue(0);
  done(op, kMs);
  EXPECT_THAT(lines(EndedLines::kMaxDelayNs), IsEmpty());
  EXPECT_THAT(lines(EndedLines::kMaxDelayNs + 2 * kMs),
              ElementsAre(HasSubstr("end after 1.000 ms, waited -")));
}

TEST_F(EndedLinesTest, OfADroppedWorkSayThatTheEndIsUnknown) {
  const OpId op = issue(0);
  ring_.push(RecordKind::kRelease, ReleaseRecord{op, kMs});
  EXPECT_THAT(lines(), ElementsAre(HasSubstr("end after -, waited -")));
}

TEST_F(EndedLinesTest, SayThatACallFailed) {
  const OpId op = issue(0);
  ring_.push(RecordKind::kReturn, ReturnRecord{op, kMs, 0, Outcome::kThrew});
  EXPECT_THAT(lines(), ElementsAre(EndsWith("; failed")));
}

TEST_F(EndedLinesTest, HaveTheStatisticsOfBothSides) {
  makeLines({.statistics = true});
  const OpId op = issue(0);
  summarize(op, ExaminedAt::kIssue, 0.25);
  wait(op, kMs, kMs);
  EXPECT_THAT(lines(), IsEmpty()) << "the outputs are being examined";
  summarize(op, ExaminedAt::kEnd, -1e6);
  EXPECT_THAT(lines(),
              ElementsAre(EndsWith(
                  "; input mean 0.25, min 0.25, max 0.25; output mean -1e+06, "
                  "min -1e+06, max -1e+06")));
}

TEST_F(EndedLinesTest, CountCallsOfEachShape) {
  for (int i = 0; i < 3; ++i) wait(issue(0), kMs, kMs);
  wait(issue(0, /*call=*/2), kMs, kMs);
  EXPECT_THAT(lines(), ElementsAre(HasSubstr("call 1 of this shape"),
                                   HasSubstr("call 2 of this shape"),
                                   HasSubstr("call 3 of this shape"),
                                   HasSubstr("call 1 of this shape")));
}

TEST_F(EndedLinesTest, DoNotWaitForAnEndForever) {
  const OpId op = issue(0);
  wait(op, kMs, kMs, /*saw_end=*/false);
  EXPECT_THAT(lines(kMs), IsEmpty());
  EXPECT_THAT(lines(EndedLines::kAtExit),
              ElementsAre(HasSubstr("end after -, waited 1.000 ms")));
}

TEST_F(EndedLinesTest, OfTheOldestOperationsComeEarlyIfTooManyAreOpen) {
  issue(0);
  for (std::size_t i = 0; i < EndedLines::kMaxOpen; ++i) {
    const std::vector<std::string> early = lines();
    EXPECT_EQ(early.size(), 0u);
    issue(kMs);
  }
  EXPECT_THAT(lines(), ElementsAre(HasSubstr("all_reduce #1 on dp")));
}

}  // namespace
}  // namespace traced
