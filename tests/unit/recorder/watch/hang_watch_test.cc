// Tests the watch's reports of operations that take too long, at fixed
// instants.

#include "recorder/watch/hang_watch.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "recorder/watch/hang_reports.h"
#include "ring_io/chunks/encode_definitions.h"
#include "ring_io/ring/group_info.h"
#include "support/filled_ring.h"
#include "support/record_calls.h"

namespace traced {
namespace {

using State = HangReport::State;

constexpr std::int64_t kLimitNs = 1000;
// Groups: Gloo, another Gloo group, and NCCL.
constexpr std::uint32_t kGloo = 1;
constexpr std::uint32_t kGloo2 = 2;
constexpr std::uint32_t kNccl = 3;
// Calls by group: async not reported, synchronous, asynchronous.
constexpr std::uint8_t kNotReported = 0, kSync = 1, kAsync = 2;

class HangWatchTest : public ::testing::Test {
 protected:
  HangWatchTest() : builder_(v1::Header()), watch_(builder_) {
    memory_.reset(static_cast<char*>(
        std::aligned_alloc(kSlotBytes, Ring::bytesFor(kSlots))));
    std::memset(memory_.get(), 0, Ring::bytesFor(kSlots));
    ring_ = std::make_unique<Ring>(memory_.get(), kSlots);
    for (const std::uint32_t id : {kGloo, kGloo2, kNccl}) {
      GroupInfo info = testing::worldOfTwo();
      if (id == kNccl) info.backend = "nccl";
      testing::define(*ring_, RecordKind::kDefineGroup, id,
                      encodeGroup(id, info, 0));
    }
    watch_.setLimit(kLimitNs);
  }

  OpId issue(std::int64_t at_ns, std::uint32_t group, std::uint8_t async,
             Operation operation = Operation::kAllReduce,
             std::uint32_t thread = 1, std::uint64_t batch = 0) {
    CallDescription call(operation, group);
    call.fields().async_plus_1 = async;
    call.fields().bytes_in = 64;
    if (isPointToPoint(operation)) call.fields().peer_global = 5;
    ring_->pushDefinition(RecordKind::kDefineCall, {++calls_, kNotCached},
                          call.bytes(), call.byteSize());
    return ring_->push(RecordKind::kIssue,
                       IssueRecord{at_ns, ++seq_, batch, calls_, 0, thread});
  }
  OpId returned(OpId op) {
    ring_->push(RecordKind::kReturn, ReturnRecord{op, 1, 0, Outcome::kOk});
    return op;
  }
  void done(OpId op, std::int64_t at_ns, EndSource source,
            Outcome outcome = Outcome::kOk) {
    ring_->push(RecordKind::kDone,
                DoneRecord{op, at_ns, 0, 0, source, outcome});
  }
  void returnedAndWaited(OpId op, std::int64_t end_ns) {
    ring_->push(RecordKind::kReturnAndWait,
                ReturnAndWaitRecord{op, end_ns - 2, end_ns - 1, 1, 0, 0,
                                    Outcome::kOk, true});
  }
  void waited(OpId op, std::int64_t end_ns, bool saw_end) {
    ring_->push(RecordKind::kWait,
                WaitRecord{op, end_ns - 1, 1, 0, 0, 0, Outcome::kOk, saw_end});
  }

  std::vector<HangReport> at(std::int64_t now_ns) {
    Ring::Record record;
    while (ring_->read(record)) {
      builder_.add(record);
      watch_.update(record);
    }
    ring_->release();
    return watch_.take(now_ns);
  }
  std::vector<State> statesAt(std::int64_t now_ns) {
    std::vector<State> states;
    for (const HangReport& report : at(now_ns)) states.push_back(report.state);
    return states;
  }

  using States = std::vector<State>;

  struct Free {
    void operator()(char* p) const { std::free(p); }
  };
  static constexpr std::uint64_t kSlots = 4096;
  std::unique_ptr<char, Free> memory_;
  std::unique_ptr<Ring> ring_;
  ChunkBuilder builder_;
  HangWatch watch_;
  std::uint32_t calls_ = 0;
  std::uint64_t seq_ = 0;
};

TEST_F(HangWatchTest, ReportsAnUnendedOperationOnce) {
  const OpId op = returned(issue(100, kGloo, kAsync));
  EXPECT_TRUE(at(100 + kLimitNs - 1).empty());
  const auto reports = at(100 + kLimitNs);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].state, State::kUnfinished);
  EXPECT_EQ(reports[0].op, op);
  EXPECT_EQ(reports[0].operation, "all_reduce");
  EXPECT_EQ(reports[0].group_desc, "default_pg");
  EXPECT_EQ(reports[0].seq, 1u);
  EXPECT_EQ(reports[0].bytes, 64u);
  EXPECT_EQ(reports[0].took_ns, kLimitNs);
  EXPECT_EQ(sentenceOf(reports[0], 3),
            "rank 3: all_reduce #1 on group \"default_pg\" (64 bytes) has not "
            "ended for 0.0 s");
  EXPECT_TRUE(at(9000).empty()) << "told";
}

TEST_F(HangWatchTest, ReportsWhenItEndsAfterAll) {
  const OpId op = returned(issue(100, kGloo, kAsync));
  EXPECT_EQ(statesAt(5000), States{State::kUnfinished});
  done(op, 6000, EndSource::kFuture);
  const auto reports = at(6001);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].state, State::kLate);
  EXPECT_EQ(reports[0].took_ns, 5900);
  EXPECT_TRUE(at(9000).empty());
}

TEST_F(HangWatchTest, DoesNotReportOperationsThatEndedInTimeOrFailed) {
  done(returned(issue(100, kGloo, kAsync)), 100 + kLimitNs - 1,
       EndSource::kFuture);
  done(returned(issue(100, kGloo, kAsync)), 7000, EndSource::kFuture,
       Outcome::kThrew);
  waited(returned(issue(100, kGloo, kSync)), 200, true);
  returnedAndWaited(issue(100, kGloo, kSync), 200);
  EXPECT_TRUE(at(9000).empty());
}

TEST_F(HangWatchTest, ACallWhoseReturnIsReportedWithItsWaitHangsUntilThen) {
  const OpId op = issue(100, kGloo, kSync);
  EXPECT_EQ(statesAt(5000), States{State::kUnfinished});
  returnedAndWaited(op, 6000);
  EXPECT_EQ(statesAt(6001), States{State::kLate});
}

TEST_F(HangWatchTest, DoesNotReportOperationsBehindAHang) {
  const OpId first = returned(issue(100, kGloo, kAsync));
  const OpId behind = returned(issue(110, kGloo, kAsync));
  returned(issue(120, kGloo2, kAsync));
  const auto reports = at(5000);
  ASSERT_EQ(reports.size(), 2u) << "one for each group";
  EXPECT_EQ(reports[0].op, first);
  EXPECT_EQ(reports[1].seq, 3u);
  done(behind, 6000, EndSource::kFuture);
  EXPECT_TRUE(at(6001).empty());
}

TEST_F(HangWatchTest, ACallThatHasNotReturnedHangsOnAnyBackend) {
  issue(100, kNccl, kNotReported);
  EXPECT_EQ(statesAt(5000), States{State::kUnfinished});
}

TEST_F(HangWatchTest, AnUnobservableEndIsNoHang) {
  // NCCL without hooks and device times, with a Work and without.
  returned(issue(100, kNccl, kSync));
  waited(returned(issue(100, kNccl, kAsync)), 110, false);
  // Gloo's send whose Work was dropped.
  const OpId send = returned(issue(100, kGloo, kNotReported, Operation::kSend));
  ring_->push(RecordKind::kRelease, ReleaseRecord{send, 120});
  EXPECT_TRUE(at(9000).empty());
}

TEST_F(HangWatchTest, ReportsABatchAsAWhole) {
  returned(issue(9, kNccl, kNotReported, Operation::kAllReduce, 1, 6));
  done(returned(issue(10, kNccl, kNotReported, Operation::kCoalesced, 1, 6)),
       20, EndSource::kCompletionHook);
  EXPECT_TRUE(at(30).empty());
  returned(issue(100, kNccl, kNotReported, Operation::kAllReduce, 1, 7));
  returned(issue(110, kNccl, kNotReported, Operation::kCoalesced, 1, 7));
  const auto reports = at(5000);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].operation, "coalesced");
}

TEST_F(HangWatchTest, ABackendThatReportsEndsReportsTheirAbsence) {
  done(returned(issue(100, kNccl, kSync)), 200, EndSource::kCompletionHook);
  EXPECT_TRUE(at(300).empty());
  returned(issue(400, kNccl, kSync));
  EXPECT_TRUE(at(400 + kLimitNs - 1).empty());
  EXPECT_EQ(statesAt(5000), States{State::kUnfinished});
}

TEST_F(HangWatchTest, AsynchronousReportsDoNotCoverSynchronousCalls) {
  done(returned(issue(100, kNccl, kAsync)), 200, EndSource::kCompletionHook);
  returned(issue(300, kNccl, kSync));
  EXPECT_TRUE(at(9000).empty());
}

TEST_F(HangWatchTest, IncompleteReportsAreNotReliedOn) {
  returned(issue(50, kNccl, kSync));
  done(returned(issue(100, kNccl, kSync)), 200, EndSource::kDeviceEvent);
  returned(issue(300, kNccl, kSync));
  EXPECT_TRUE(at(9000).empty());
  for (int i = 0; i < 16; ++i) {
    done(returned(issue(9100, kNccl, kSync)), 9200, EndSource::kDeviceEvent);
  }
  returned(issue(9300, kNccl, kSync));
  EXPECT_EQ(statesAt(12'000), States{State::kUnfinished});
}

TEST_F(HangWatchTest, WithWaitBasedEndsOnlyWaitedOperationsCanHang) {
  done(returned(issue(100, kNccl, kAsync)), 200, EndSource::kDeviceWait);
  returned(issue(300, kNccl, kAsync));
  EXPECT_TRUE(at(9000).empty());
  waited(returned(issue(9100, kNccl, kAsync)), 9200, false);
  EXPECT_EQ(statesAt(12'000), States{State::kUnfinished});
}

TEST_F(HangWatchTest, EndsShownByAWaitAreUndecidedWhileTheThreadIsSilent) {
  returned(issue(100, kGloo, kNotReported, Operation::kRecv));
  returned(issue(100, kGloo2, kNotReported, Operation::kRecv, 2));
  const auto reports = at(5000);
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].state, State::kUndecided);
  EXPECT_EQ(reports[0].peer, 5);
  EXPECT_NE(sentenceOf(reports[0], 0).find("recv from rank 5 #1"),
            std::string::npos);
}

TEST_F(HangWatchTest, AThreadThatContinuesDoesNotWait) {
  returned(issue(100, kGloo, kNotReported, Operation::kRecv));
  done(returned(issue(4500, kGloo, kAsync)), 4600, EndSource::kFuture);
  EXPECT_TRUE(at(5000).empty());
}

TEST_F(HangWatchTest, ReportsALateOperationThatWasNeverSeenToHang) {
  waited(returned(issue(100, kGloo, kNotReported, Operation::kRecv)), 5100,
         true);
  EXPECT_EQ(statesAt(5200), States{State::kLate});
}

TEST_F(HangWatchTest, FollowsNothingWhileItIsOff) {
  const OpId before = returned(issue(100, kGloo, kAsync));
  EXPECT_TRUE(at(200).empty());
  watch_.setLimit(0);
  returned(issue(300, kGloo, kAsync));
  EXPECT_TRUE(at(9000).empty());
  watch_.setLimit(kLimitNs);
  done(before, 9100, EndSource::kFuture);
  EXPECT_TRUE(at(9200).empty());
}

TEST_F(HangWatchTest, CallsWithoutReportedEndsHideNoHang) {
  watch_.setLimit(std::int64_t{1} << 40);
  constexpr int kMany = 70'000;
  for (int i = 0; i < kMany; ++i) {
    returned(issue(i, kNccl, kSync));
    if (i % 500 == 0) EXPECT_TRUE(at(i).empty());
  }
  issue(kMany, kNccl, kSync);  // hangs within the call
  returned(issue(kMany, kGloo, kAsync));
  EXPECT_EQ(statesAt(std::int64_t{1} << 41),
            (States{State::kUnfinished, State::kUnfinished}));
}

TEST_F(HangWatchTest, WaitsForTheFirstCallsThatMayReportTheirEnds) {
  watch_.setLimit(std::int64_t{1} << 40);
  const OpId first = returned(issue(0, kNccl, kAsync));
  for (int i = 1; i < 5000; ++i) {
    returned(issue(i, kNccl, kAsync));
    if (i % 500 == 0) EXPECT_TRUE(at(i).empty());
  }
  done(first, 6000, EndSource::kCompletionHook);
  const OpId hangs = returned(issue(7000, kNccl, kAsync));
  EXPECT_TRUE(at(7000).empty());
  const auto reports = at(std::int64_t{1} << 41);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_LT(reports[0].op, hangs) << "the oldest that has not ended";
}

TEST_F(HangWatchTest, ForgetsRemovedGroups) {
  for (std::uint32_t id = 10; id < 50; ++id) {
    GroupInfo info = testing::worldOfTwo();
    info.backend = "nccl";
    testing::define(*ring_, RecordKind::kDefineGroup, id,
                    encodeGroup(id, info, 0));
    done(returned(issue(100, id, kAsync)), 110, EndSource::kCompletionHook);
    const OpId last = returned(issue(120, id, kAsync));
    ring_->pushDefinition(RecordKind::kRetireGroup, {id, kUntilRetired}, "", 0);
    EXPECT_TRUE(at(130).empty());
    EXPECT_EQ(watch_.trackedModes(), 1u) << "its last call is under way";
    done(last, 140, EndSource::kCompletionHook);
    EXPECT_TRUE(at(150).empty());
    EXPECT_EQ(watch_.trackedModes(), 0u);
  }
}

TEST(HangReportsTest, KeepsTheLatestReportsForALaterReader) {
  HangReports reports;
  HangReport report;
  for (std::uint64_t i = 0; i < 100; ++i) {
    report.seq = i;
    reports.put(report);
  }
  EXPECT_EQ(reports.take()->seq, 36u) << "the latest";
  reports.close();
  EXPECT_FALSE(reports.take());
  reports.open();
  EXPECT_EQ(reports.take()->seq, 37u);
}

}  // namespace
}  // namespace traced
