// Tests device times as callers use them: with the thread, in real time.

#include "recorder/device/device_times.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "base/clock.h"
#include "support/collecting_device_sink.h"
#include "support/fake_device.h"

namespace traced::testing {
namespace {

constexpr std::chrono::seconds kLimit{20};
constexpr std::int64_t kUs = 1'000;
constexpr std::int64_t kMs = 1'000'000;
constexpr CommunicatorId kGroup = 3;

void waitUntil(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kLimit;
  while (!condition()) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

class DeviceTimesTest : public ::testing::Test {
 protected:
  void start(DeviceTimeMode mode = DeviceTimeMode::kFull) {
    times_ = std::make_unique<DeviceTimes>(
        device_.events(), mode,
        std::make_unique<CollectingDeviceSink>(collected_), untimed_, aborted_);
  }
  std::uint64_t untimed(Untimed::Reason reason) const {
    return untimed_.count(reason);
  }
  // Returns whether an operation would be measured.
  bool measures() {
    DeviceSpan* span = times_->begin(times_->streamState(), kGroup);
    if (span) times_->cancel(span);
    return span != nullptr;
  }
  bool run(OpId op, std::int64_t ns) {
    const DeviceTimes::StreamState state = times_->streamState();
    DeviceSpan* span = times_->begin(state, kGroup);
    device_.run(*state.stream, ns);
    if (span) times_->end(span, op);
    return span != nullptr;
  }

  FakeDevice device_{[] { return nowNs(); }};
  CollectingDeviceSink::Collected collected_;  // read after stop()
  Untimed untimed_;
  AbortedCommunicators aborted_;
  std::unique_ptr<DeviceTimes> times_;
};

TEST_F(DeviceTimesTest, TheFirstOperationIsMeasured) {
  start();
  EXPECT_TRUE(run(1, kMs));
}

TEST_F(DeviceTimesTest, DoesNotWaitLongForADeviceWithoutEvents) {
  device_.block();
  start();
  EXPECT_FALSE(run(1, kMs));
  EXPECT_EQ(untimed(Untimed::Reason::kStarting), 1u);
  device_.release();
  waitUntil([this] { return measures(); });
}

TEST_F(DeviceTimesTest, OnlyItsOwnThreadQueriesTheDevice) {
  start();
  for (OpId op = 0; op < 50; ++op) EXPECT_TRUE(run(op, 100 * kUs));
  std::this_thread::sleep_until(
      std::chrono::steady_clock::now() +
      std::chrono::nanoseconds(device_.idleAt(device_.currentStream()) -
                               nowNs()));
  ASSERT_TRUE(times_->stop(kLimit));
  EXPECT_EQ(collected_.ended.size(), 50u);
  EXPECT_EQ(device_.askers().size(), 1u);
  EXPECT_FALSE(device_.askers().contains(std::this_thread::get_id()));
}

TEST_F(DeviceTimesTest, TheEndOnlyTakesOneEvent) {
  start(DeviceTimeMode::kEnd);
  const std::size_t before = device_.records();
  run(1, kMs);
  // Anchors are also recorded, later and on a stream of their own.
  EXPECT_LE(device_.records() - before, 1u + DeviceAnchors::kAttempts);
  waitUntil([&] { return nowNs() > device_.idleAt(device_.currentStream()); });
  ASSERT_TRUE(times_->stop(kLimit));
  ASSERT_EQ(collected_.ended.size(), 1u);
  EXPECT_EQ(collected_.ended[0].engine_ns_plus_1, 0u);
}

TEST_F(DeviceTimesTest, DoesNotTouchAStreamDuringACapture) {
  start();
  const auto stream = device_.currentStream();
  device_.capture(stream, 42);
  const DeviceTimes::StreamState state = times_->streamState();
  EXPECT_EQ(state.capture.graph, 42u);
  EXPECT_EQ(times_->begin(state, kGroup), nullptr);
  EXPECT_EQ(times_->beginWait(state, kGroup), nullptr);
  EXPECT_FALSE(device_.disturbedCapture());
  EXPECT_EQ(untimed_.total(), 0u)
      << "a captured operation is not one that lacks its times";

  // Operations that were active before are also left alone meanwhile.
  device_.endCapture(stream);
  run(1, kMs);
  device_.capture(stream, 43);
  times_->streamState();
  const std::int64_t quiet_until_ns = nowNs() + DeviceTimes::kQuiet;
  std::size_t asked = 0;
  // The thread may be within a poll that began before.
  waitUntil([&, last = std::size_t{0}]() mutable {
    asked = device_.queries();
    return std::exchange(last, asked) == asked;
  });
  while (nowNs() < quiet_until_ns - 20 * kMs) {
    times_->streamState();
    ASSERT_EQ(device_.queries(), asked);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  device_.endCapture(stream);
  waitUntil([&] { return device_.queries() > asked; });
  times_->stop(kLimit);
}

TEST_F(DeviceTimesTest, WithoutAFreeEventAnOperationIsCountedAndContinues) {
  start();
  for (OpId op = 0; op < EventPool::kSpans; ++op) {
    EXPECT_TRUE(run(op, op == 0 ? 3'600'000 * kMs : 0));
  }
  EXPECT_FALSE(run(EventPool::kSpans, 0));
  EXPECT_EQ(untimed_.count(Untimed::Reason::kNoEvent), 1u);
  ASSERT_TRUE(times_->stop(kLimit));
  EXPECT_TRUE(collected_.ended.empty());
  EXPECT_EQ(collected_.untimed, untimed_.total());
}

TEST_F(DeviceTimesTest, CountsTheLossesOfAnAbortWhenTheStreamContinues) {
  start();
  run(1, 20 * kMs);
  aborted_.add(kGroup);
  waitUntil([&] { return untimed(Untimed::Reason::kAborted) > 0; });
  EXPECT_TRUE(measures());
  ASSERT_TRUE(times_->stop(kLimit));
  EXPECT_TRUE(collected_.ended.empty());
  EXPECT_EQ(collected_.untimed, untimed_.total());
}

TEST_F(DeviceTimesTest, ReportsADeviceThatRefusesEvents) {
  device_.refuseEvents();
  start();
  EXPECT_FALSE(run(1, kMs));
  EXPECT_EQ(untimed(Untimed::Reason::kRefused), 1u);
  ASSERT_TRUE(times_->stop(kLimit));
  EXPECT_EQ(collected_.untimed, untimed_.total());
  EXPECT_EQ(device_.queries(), 0u);
}

TEST_F(DeviceTimesTest, AfterADeviceErrorOperationsCountAsRefused) {
  start();
  run(1, 3'600'000 * kMs);
  device_.fail();
  waitUntil([&] { return !measures(); });
  EXPECT_EQ(untimed(Untimed::Reason::kStarting), 0u);
  EXPECT_GE(untimed(Untimed::Reason::kRefused), 2u);
}

TEST_F(DeviceTimesTest, AfterStopOperationsCountAsTooLate) {
  start();
  ASSERT_TRUE(times_->stop(kLimit));
  EXPECT_FALSE(run(1, kMs));
  EXPECT_EQ(untimed(Untimed::Reason::kStopped), 1u);
}

TEST_F(DeviceTimesTest, ACallThatNeverReturnsBlocksNobody) {
  start();
  device_.block();
  const std::size_t before = device_.queries();
  run(1, kMs);
  waitUntil([&] { return device_.queries() > before; });
  EXPECT_FALSE(times_->stop(std::chrono::milliseconds(1)));
  EXPECT_TRUE(times_->streamState().stream) << "callers go on";
  device_.release();
  EXPECT_TRUE(times_->stop(kLimit));
}

TEST_F(DeviceTimesTest, SwitchedOffItOnlyReportsCaptures) {
  DeviceTimes off(device_.events(), DeviceTimeMode::kOff,
                  std::make_unique<CollectingDeviceSink>(collected_), untimed_,
                  aborted_);
  device_.capture(device_.currentStream(), 3);
  EXPECT_EQ(off.streamState().capture.graph, 3u);
  device_.endCapture(device_.currentStream());
  EXPECT_EQ(off.begin(off.streamState(), kGroup), nullptr);
  EXPECT_TRUE(off.stop(std::chrono::milliseconds(0)));
  EXPECT_EQ(untimed_.total(), 0u);
  EXPECT_EQ(device_.records(), 0u);
}

TEST_F(DeviceTimesTest, ARefusedEventIsCounted) {
  start();
  device_.refuseRecords();
  run(1, kMs);
  EXPECT_EQ(untimed_.count(Untimed::Reason::kRefused), 1u);
}

TEST_F(DeviceTimesTest, ManyThreadsShareThePool) {
  start();
  constexpr int kThreads = 4;
  constexpr int kEach = 5'000;
  std::vector<std::thread> threads;
  std::atomic<int> measured{0};
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        measured += run(static_cast<OpId>(t * kEach + i), 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(times_->stop(kLimit));
  std::set<OpId> ended;
  for (const DoneRecord& done : collected_.ended) {
    EXPECT_TRUE(ended.insert(done.op).second) << "told twice";
  }
  EXPECT_EQ(ended.size() + untimed_.count(Untimed::Reason::kStopped),
            static_cast<std::size_t>(measured));
}

}  // namespace
}  // namespace traced::testing
