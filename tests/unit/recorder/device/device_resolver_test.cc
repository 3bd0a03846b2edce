// Tests the resolution of device events, with a simulated device and a manual
// clock.

#include "recorder/device/device_resolver.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "support/collecting_device_sink.h"
#include "support/fake_device.h"

namespace traced::testing {
namespace {

constexpr std::int64_t kUs = 1'000;
constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecond = 1'000'000'000;

// Every poll takes a little time. One can take very long, if a test sets
// `polls_until_pause`.
std::int64_t host_ns = 0;
int polls_until_pause = -1;
std::int64_t readHost() {
  if (polls_until_pause-- == 0) host_ns += 10 * kMs;
  return host_ns += 200;
}

class DeviceResolverTest : public ::testing::Test {
 protected:
  DeviceResolverTest() : device_([] { return host_ns; }), sink_(collected_) {
    host_ns = kSecond;
    device_.setClock(-77 * kSecond, 35);
    EXPECT_TRUE(resolver_.start());
  }

  DeviceSpan* begin(DeviceEvents::Stream stream) {
    DeviceSpan* span = pool_.take();
    span->stream = stream;
    span->is_wait = false;
    span->has_first = events_->record(span->first, stream);
    return span;
  }
  void end(DeviceSpan* span, OpId op) {
    span->op = op;
    ASSERT_TRUE(events_->record(span->last, span->stream));
    pool_.submit(span);
  }
  // Runs an operation of `ns` and returns its end.
  std::int64_t runOp(OpId op, std::int64_t ns, DeviceEvents::Stream stream) {
    DeviceSpan* span = begin(stream);
    device_.run(stream, ns);
    end(span, op);
    return device_.idleAt(stream);
  }
  void pollFor(std::int64_t ns) {
    for (const std::int64_t until = host_ns + ns; host_ns < until;) {
      resolver_.poll();
      host_ns += 2 * kMs;
    }
  }
  // Polls so rarely that the job's events give no time either.
  void pollRarely(std::int64_t ns) {
    for (const std::int64_t until = host_ns + ns; host_ns < until;) {
      resolver_.poll();
      host_ns += 15 * kMs;
    }
  }

  const DeviceEvents::Stream stream_ = FakeDevice::stream(1);
  const DeviceEvents::Stream other_ = FakeDevice::stream(2);
  FakeDevice device_;
  std::unique_ptr<DeviceEvents> events_ = device_.events();
  EventPool pool_;
  Untimed untimed_;
  AbortedCommunicators aborted_;
  CollectingDeviceSink::Collected collected_;
  CollectingDeviceSink sink_;
  DeviceResolver resolver_{*events_, pool_, untimed_,
                           aborted_, sink_, &readHost};
};

TEST_F(DeviceResolverTest, ReportsWhenOperationsEndedAndHowLongTheyTook) {
  resolver_.poll();
  const std::int64_t end_ns = runOp(7, 3 * kMs, stream_);
  pollFor(kSecond);
  ASSERT_EQ(collected_.ended.size(), 1u);
  const DoneRecord& done = collected_.ended[0];
  EXPECT_EQ(done.op, 7u);
  EXPECT_EQ(done.source, EndSource::kDeviceEvent);
  EXPECT_LE(std::abs(done.end_ns - end_ns), collected_.error_ns);
  EXPECT_LE(collected_.error_ns, 10 * kUs);
  EXPECT_NEAR(static_cast<double>(done.engine_ns_plus_1), 3.0 * kMs, 2.0 * kUs);
}

TEST_F(DeviceResolverTest, StaysWithinTheErrorItStates) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto up_to = [&](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(random);
  };
  device_.setClock(up_to(100 * kSecond), static_cast<double>(up_to(200)) - 100);
  std::vector<std::int64_t> ends;
  for (OpId op = 0; op < 300; ++op) {
    ends.push_back(runOp(op, up_to(20 * kMs), op % 3 ? stream_ : other_));
    pollFor(up_to(op % 50 == 49 ? 5 * kSecond : 30 * kMs));
  }
  pollFor(10 * kSecond);
  ASSERT_EQ(collected_.ended.size(), ends.size());
  for (const DoneRecord& done : collected_.ended) {
    EXPECT_LE(std::abs(done.end_ns - ends[done.op]), collected_.error_ns);
  }
  EXPECT_LE(collected_.error_ns, 20 * kUs);
}

TEST_F(DeviceResolverTest, StreamsDoNotWaitForEachOther) {
  runOp(1, 5 * kSecond, stream_);
  runOp(2, kMs, other_);
  runOp(3, kMs, other_);
  pollFor(kSecond);
  EXPECT_FALSE(collected_.endOf(1));
  EXPECT_TRUE(collected_.endOf(2));
  EXPECT_TRUE(collected_.endOf(3));
  pollFor(5 * kSecond);
  EXPECT_TRUE(collected_.endOf(1));
}

TEST_F(DeviceResolverTest, QueriesNoEventBehindAnUnreachedOne) {
  for (OpId op = 0; op < 100; ++op) runOp(op, kSecond, stream_);
  resolver_.poll();
  const std::size_t before = device_.queries();
  resolver_.poll();
  EXPECT_EQ(device_.queries() - before, 1u);
}

TEST_F(DeviceResolverTest, QueriesFewOfTheEventsReachedInOrder) {
  runOp(0, kUs, stream_);
  resolver_.poll();  // reads the clock; later polls do not
  for (OpId op = 1; op <= 200; ++op) {
    runOp(op, 100 * kUs, op % 2 ? stream_ : other_);
  }
  host_ns += 5 * kMs + 50 * kUs;
  const std::size_t first = device_.queries();
  resolver_.poll();
  EXPECT_LE(device_.queries() - first, 2u * 9u) << "half of each";
  host_ns += 20 * kMs;
  const std::size_t second = device_.queries();
  resolver_.poll();
  EXPECT_EQ(device_.queries() - second, 2u * 2u) << "all the others";
  pollFor(kSecond);
  EXPECT_EQ(collected_.ended.size(), 201u);
}

TEST_F(DeviceResolverTest, MeasuresAReachedEventOnce) {
  runOp(0, kUs, stream_);
  resolver_.poll();
  for (OpId op = 1; op <= 100; ++op) runOp(op, 10 * kUs, stream_);
  host_ns += 2 * kMs;
  const std::size_t before = device_.measurements();
  pollFor(50 * kMs);  // until the clock is read again
  EXPECT_LE(collected_.ended.size(), 1u);
  EXPECT_EQ(device_.measurements() - before, 2u * 101u) << "end and length";
  pollFor(kSecond);
  EXPECT_EQ(collected_.ended.size(), 101u);
}

TEST_F(DeviceResolverTest, MoreOperationsThanEventsCanWaitForTheClock) {
  OpId op = 0;
  for (int turn = 0; turn < 12; ++turn) {
    for (std::size_t i = 0; i < EventPool::kSpans / 2; ++i) {
      runOp(op++, kUs, stream_);
    }
    host_ns += kMs;
    resolver_.poll();
  }
  pollFor(kSecond);
  EXPECT_EQ(collected_.ended.size(), op);
  EXPECT_EQ(untimed_.total(), 0u);
}

TEST_F(DeviceResolverTest, AWaitReportsItsStallAndABoundOfTheEnd) {
  resolver_.poll();
  const std::int64_t end_ns = runOp(9, 8 * kMs, other_);  // asynchronous
  DeviceSpan* span = begin(stream_);
  device_.makeWait(stream_, other_);
  span->is_wait = true;
  span->wait = {};
  span->wait.op = 5;
  span->wait.begin_ns = 123;
  end(span, 5);
  pollFor(kSecond);
  ASSERT_EQ(collected_.stalled.size(), 1u);
  EXPECT_EQ(collected_.stalled[0].op, 5u);
  EXPECT_EQ(collected_.stalled[0].begin_ns, 123);
  EXPECT_NEAR(static_cast<double>(collected_.stalled[0].stall_ns_plus_1),
              8.0 * kMs, 5.0 * kUs);
  ASSERT_TRUE(collected_.endOf(5));
  EXPECT_EQ(collected_.endOf(5)->source, EndSource::kDeviceWait);
  EXPECT_EQ(collected_.endOf(5)->engine_ns_plus_1, 0u)
      << "its start is not known";
  EXPECT_LE(std::abs(collected_.endOf(5)->end_ns - end_ns),
            collected_.error_ns);
}

TEST_F(DeviceResolverTest, AnOperationThatTakesVeryLongHasItsEnd) {
  const std::int64_t end_ns = runOp(1, 60 * kSecond, stream_);
  runOp(2, kMs, stream_);
  pollFor(59 * kSecond);
  EXPECT_TRUE(collected_.ended.empty());
  pollFor(2 * kSecond);
  ASSERT_TRUE(collected_.endOf(1));
  EXPECT_LE(std::abs(collected_.endOf(1)->end_ns - end_ns),
            collected_.error_ns);
  EXPECT_TRUE(collected_.endOf(2));
  EXPECT_EQ(untimed_.total(), 0u);
}

TEST_F(DeviceResolverTest, PollsAHungStreamLessOften) {
  runOp(1, 60 * kSecond, stream_);
  pollFor(9 * kSecond);
  EXPECT_TRUE(resolver_.poll());
  pollFor(3 * kSecond);
  EXPECT_FALSE(resolver_.poll());
  runOp(2, kMs, other_);
  pollFor(10 * kMs);
  EXPECT_TRUE(resolver_.poll()) << "another stream goes on";
}

TEST_F(DeviceResolverTest, AHungStreamLeavesRoomToOthers) {
  for (OpId op = 1; op <= EventPool::kSpans; ++op) {
    runOp(op, op == 1 ? 60 * kSecond : 0, stream_);
  }
  pollFor(9 * kSecond);
  EXPECT_EQ(pool_.take(), nullptr);
  pollFor(3 * kSecond);
  EXPECT_EQ(untimed_.total(), 0u) << "it was not as long then";
  EXPECT_EQ(pool_.take(), nullptr);
  pollFor(10 * kMs);
  EXPECT_EQ(untimed_.count(Untimed::Reason::kStuck), EventPool::kSpans - 1);
  runOp(5000, kMs, other_);
  pollFor(kSecond);
  EXPECT_TRUE(collected_.endOf(5000));
  pollFor(60 * kSecond);
  EXPECT_TRUE(collected_.endOf(1)) << "which all were waiting for";
  EXPECT_EQ(collected_.ended.size(), 2u);
}

TEST_F(DeviceResolverTest, AbortedOperationsHaveNoEnd) {
  constexpr CommunicatorId kGone = 7;
  DeviceSpan* span = begin(stream_);
  device_.run(stream_, 10 * kMs);
  span->communicator = kGone;
  end(span, 1);
  runOp(2, kMs, stream_);
  pollFor(5 * kMs);
  aborted_.add(kGone);
  pollFor(kSecond);
  EXPECT_FALSE(collected_.endOf(1));
  EXPECT_TRUE(collected_.endOf(2)) << "of another group";
  EXPECT_EQ(collected_.why, "1 group aborted");
}

TEST_F(DeviceResolverTest, OperationsThatEndedBeforeAnAbortKeepTheirEnd) {
  constexpr CommunicatorId kGone = 7;
  device_.setLatency(kMs);  // so that no poll reads the clock
  DeviceSpan* span = begin(stream_);
  span->communicator = kGone;
  end(span, 1);
  host_ns += 5 * kMs;
  resolver_.poll();
  EXPECT_FALSE(collected_.endOf(1));
  aborted_.add(kGone);
  device_.setLatency(2 * kUs);
  pollFor(kSecond);
  EXPECT_TRUE(collected_.endOf(1));
  EXPECT_EQ(untimed_.total(), 0u);
}

TEST_F(DeviceResolverTest, ARefusedEventLosesOneEnd) {
  runOp(1, kMs, stream_);
  runOp(2, kMs, stream_);
  device_.failOnce();
  pollFor(kSecond);
  EXPECT_FALSE(resolver_.failed());
  EXPECT_FALSE(collected_.endOf(1));
  EXPECT_TRUE(collected_.endOf(2));
  EXPECT_EQ(untimed_.count(Untimed::Reason::kRefused), 1u);
}

TEST_F(DeviceResolverTest, AHangBesideALongWaitIsNoReasonToSpin) {
  device_.hang();
  runOp(1, kMs, stream_);
  const std::int64_t before = host_ns;
  resolver_.poll();
  EXPECT_LE(host_ns - before, 2 * DeviceAnchors::kSpin);
}

TEST_F(DeviceResolverTest, AnErrorOfTheDeviceEndsIt) {
  runOp(1, kMs, stream_);
  device_.fail();
  pollFor(kSecond);
  EXPECT_TRUE(resolver_.failed());
  EXPECT_EQ(untimed_.count(Untimed::Reason::kRefused), 1u);
  const std::size_t before = device_.queries();
  pollFor(kSecond);
  EXPECT_EQ(device_.queries(), before);
}

TEST_F(DeviceResolverTest, AbandonedEventsReturnToThePool) {
  for (std::size_t i = 0; i < EventPool::kSpans; ++i) {
    runOp(i, kMs, stream_);
  }
  EXPECT_EQ(pool_.take(), nullptr);
  device_.fail();
  resolver_.poll();
  EXPECT_EQ(untimed_.count(Untimed::Reason::kRefused), EventPool::kSpans);
  for (std::size_t i = 0; i < EventPool::kSpans; ++i) {
    ASSERT_NE(pool_.take(), nullptr) << i;
  }
  EXPECT_TRUE(collected_.ended.empty());
}

TEST_F(DeviceResolverTest, TheLastPollReportsWhatIsKnownAndCountsTheRest) {
  runOp(1, kMs, stream_);
  runOp(2, 60 * kSecond, stream_);
  host_ns += 100 * kMs;
  resolver_.finish(/*ask=*/true);
  EXPECT_TRUE(collected_.endOf(1));
  EXPECT_FALSE(collected_.endOf(2));
  EXPECT_EQ(collected_.untimed, 1u);
  EXPECT_EQ(collected_.why, "1 recording ended");
}

// On a busy machine the thread loses its processor in the middle of a poll.
class PausedResolverTest : public DeviceResolverTest,
                           public ::testing::WithParamInterface<int> {
 protected:
  ~PausedResolverTest() override { polls_until_pause = -1; }
};

TEST_P(PausedResolverTest, TheLastPollReadsTheClockAllTheSame) {
  runOp(1, kMs, stream_);
  host_ns += 20 * kMs;
  polls_until_pause = GetParam();
  resolver_.finish(/*ask=*/true);
  EXPECT_TRUE(collected_.endOf(1));
}

TEST_P(PausedResolverTest, TheLastPollLeavesAReadingThatTookLong) {
  runOp(1, kMs, stream_);
  host_ns += 20 * kMs;
  polls_until_pause = GetParam();
  resolver_.poll();
  host_ns += 20 * kMs;
  resolver_.finish(/*ask=*/true);
  EXPECT_TRUE(collected_.endOf(1));
}

INSTANTIATE_TEST_SUITE_P(AtAnyPoll, PausedResolverTest,
                         ::testing::Range(0, 15));

TEST_F(DeviceResolverTest, AnUntouchedDeviceIsNotQueriedAtTheEndEither) {
  runOp(1, kMs, stream_);
  host_ns += 100 * kMs;
  const std::size_t before = device_.queries();
  resolver_.finish(/*ask=*/false);
  EXPECT_EQ(device_.queries(), before);
  EXPECT_TRUE(collected_.ended.empty());
  EXPECT_EQ(collected_.why, "1 recording ended");
}

TEST_F(DeviceResolverTest, WithAFullQueueTheJobsOwnEventsGiveTheTime) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::int64_t> length(5 * kMs, 40 * kMs);
  device_.shareOneQueue();
  std::vector<std::int64_t> ends;
  for (OpId op = 0; op < 300; ++op) {  // far ahead of the device
    ends.push_back(runOp(op, length(random), op % 3 ? stream_ : other_));
  }
  pollFor(ends.back() - host_ns - kMs);
  EXPECT_GE(collected_.ended.size(), 290u) << "while the queue was still full";
  pollFor(kSecond);
  ASSERT_EQ(collected_.ended.size(), ends.size());
  for (const DoneRecord& done : collected_.ended) {
    EXPECT_LE(std::abs(done.end_ns - ends[done.op]), collected_.error_ns);
  }
  EXPECT_LE(collected_.error_ns, 5 * kMs);
  EXPECT_EQ(untimed_.total(), 0u);
}

TEST_F(DeviceResolverTest, AfterAFullQueueTheClockIsReadWellAgain) {
  device_.shareOneQueue();
  for (OpId op = 0; op < 50; ++op) runOp(op, 20 * kMs, stream_);
  pollFor(2 * kSecond);
  ASSERT_EQ(collected_.ended.size(), 50u);
  for (OpId op = 50; op < 60; ++op) {
    runOp(op, 100 * kUs, stream_);
    pollFor(300 * kMs);
  }
  const std::int64_t end_ns = runOp(60, kMs, stream_);
  pollFor(300 * kMs);
  ASSERT_TRUE(collected_.endOf(60));
  EXPECT_LE(std::abs(collected_.endOf(60)->end_ns - end_ns), 20 * kUs);
}

TEST_F(DeviceResolverTest, AStallNeedsNoClock) {
  device_.setLatency(50 * kMs);  // as below
  runOp(9, 8 * kMs, other_);
  DeviceSpan* span = begin(stream_);
  device_.run(stream_, 70 * kMs);
  span->is_wait = true;
  span->wait = {};
  span->wait.op = 5;
  end(span, 5);
  pollRarely(15 * kSecond);
  EXPECT_FALSE(collected_.endOf(5));
  ASSERT_EQ(collected_.stalled.size(), 1u);
  EXPECT_GT(collected_.stalled[0].stall_ns_plus_1, 0u);
  EXPECT_GT(untimed_.count(Untimed::Reason::kNoClock), 0u);
}

// Work on its stream takes the device's time.
TEST_F(DeviceResolverTest, AClockThatWasReadWellIsNotReadAgain) {
  const DeviceEvents::Stream own = *events_->ownStream();
  runOp(1, kMs, stream_);
  resolver_.poll();
  EXPECT_EQ(device_.recordsOn(own), 1u);
  pollFor(kSecond);
  EXPECT_TRUE(collected_.endOf(1));
  EXPECT_EQ(device_.recordsOn(own), 2u) << "one before its end, one behind";
}

TEST_F(DeviceResolverTest, AClockThatCannotBeReadWellIsNotUsed) {
  device_.setLatency(50 * kMs);  // no anchor is better than half of that
  runOp(1, kMs, stream_);
  pollRarely(30 * kSecond);
  EXPECT_TRUE(collected_.ended.empty());
  EXPECT_EQ(untimed_.count(Untimed::Reason::kNoClock), 1u);
}

TEST(DeviceResolverStartTest, ADeviceWithoutEventsIsNotUsed) {
  FakeDevice device([] { return host_ns; });
  device.refuseEvents();
  const auto events = device.events();
  EventPool pool;
  Untimed untimed;
  CollectingDeviceSink::Collected collected;
  CollectingDeviceSink sink(collected);
  AbortedCommunicators aborted;
  DeviceResolver resolver(*events, pool, untimed, aborted, sink, &readHost);
  EXPECT_FALSE(resolver.start());
}

}  // namespace
}  // namespace traced::testing
