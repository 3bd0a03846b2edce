// Tests copies to the host with the thread that reads them, in real time.

#include "recorder/device/device_copies.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>

#include "base/clock.h"
#include "support/collecting_device_sink.h"
#include "support/fake_device.h"

namespace traced::testing {
namespace {

constexpr std::chrono::seconds kLimit{20};
constexpr std::int64_t kForever = 3'600'000'000'000;
constexpr std::size_t kRoom = 4096;

class DeviceCopiesTest : public ::testing::Test {
 protected:
  DeviceCopiesTest()
      : times_(device_.events(), DeviceTimeMode::kOff,
               std::make_unique<CollectingDeviceSink>(collected_), untimed_,
               aborted_),
        copies_(times_, kRoom) {}

  std::optional<DeviceCopies::Batch> begin() {
    return copies_.begin(device_.currentStream());
  }
  // Copies `text`; it is read once it arrives, and appended to `read_`, or "-"
  // is if it does not.
  bool copy(const std::string& text) {
    auto batch = begin();
    char* const to = batch ? batch->copy(text.data(), text.size()) : nullptr;
    if (!to) return false;
    batch->whenArrived([this, to, size = text.size()](bool arrived) {
      const std::lock_guard lock(mutex_);
      read_ += arrived ? std::string(to, size) : "-";
      changed_.notify_all();
    });
    return true;
  }
  std::string read() {
    const std::lock_guard lock(mutex_);
    return read_;
  }
  // Waits until so many characters were read.
  std::string readOf(std::size_t size) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kLimit, [&] { return read_.size() >= size; });
    return read_;
  }

  FakeDevice device_{[] { return nowNs(); }};
  CollectingDeviceSink::Collected collected_;
  Untimed untimed_;
  AbortedCommunicators aborted_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string read_;
  DeviceTimes times_;
  DeviceCopies copies_;
};

TEST_F(DeviceCopiesTest, CopiesAreReadInTheOrderOfTheStream) {
  for (const char* text : {"a", "b", "c"}) EXPECT_TRUE(copy(text));
  EXPECT_EQ(readOf(3), "abc");
}

TEST_F(DeviceCopiesTest, NothingIsReadBeforeTheStreamHasComeSoFar) {
  const auto slow = FakeDevice::stream(7);
  device_.run(slow, kForever);
  device_.setCurrentStream(slow);
  EXPECT_TRUE(copy("late"));
  device_.setCurrentStream(FakeDevice::stream(8));
  EXPECT_TRUE(copy("soon"));
  EXPECT_EQ(readOf(4), "soon");
  ASSERT_TRUE(copies_.stop(kLimit));
  EXPECT_EQ(read(), "soon-");
}

TEST_F(DeviceCopiesTest, MemoryIsUsedAgainOnlyAfterItWasRead) {
  device_.block();  // nothing is read meanwhile
  EXPECT_TRUE(copy(std::string(kRoom, 'a')));
  EXPECT_FALSE(copy("b")) << "no room";
  device_.release();
  EXPECT_EQ(readOf(kRoom).size(), kRoom);
  const auto until = std::chrono::steady_clock::now() + kLimit;
  while (!copy("c")) ASSERT_LT(std::chrono::steady_clock::now(), until);
  EXPECT_EQ(readOf(kRoom + 1).back(), 'c');
}

TEST_F(DeviceCopiesTest, ABatchThatIsNotReadKeepsItsMemoryUntilItArrives) {
  device_.run(device_.currentStream(), kForever);
  {
    auto batch = begin();
    ASSERT_TRUE(batch->copy("abc", 3));
  }
  EXPECT_FALSE(copy(std::string(kRoom, 'b')));
}

TEST_F(DeviceCopiesTest, OnlySoManyBatchesAreInFlight) {
  device_.run(device_.currentStream(), kForever);
  for (std::size_t i = 0; i < DeviceCopies::kBatches; ++i) {
    auto batch = begin();
    ASSERT_TRUE(batch) << i;
    batch->whenArrived(nullptr);
  }
  EXPECT_FALSE(begin());
}

TEST_F(DeviceCopiesTest, ADeviceThatFailsGetsNoMoreCopies) {
  device_.run(device_.currentStream(), kForever);
  EXPECT_TRUE(copy("a"));
  device_.fail();
  EXPECT_EQ(readOf(1), "-");
  EXPECT_FALSE(begin());
}

TEST_F(DeviceCopiesTest, ARefusedEventLosesTheCopy) {
  auto batch = begin();
  ASSERT_TRUE(batch->copy("abc", 3));
  device_.refuseRecords();
  std::optional<bool> came;
  batch->whenArrived([&](bool arrived) { came = arrived; });
  EXPECT_EQ(came, false);
  EXPECT_FALSE(begin()) << "nobody knows when its memory is free";
}

TEST_F(DeviceCopiesTest, ARefusedCopyTakesNoMemory) {
  auto batch = begin();
  device_.refuseRecords();
  EXPECT_EQ(batch->copy("abc", 3), nullptr);
  EXPECT_EQ(batch->copy(read_.data(), kRoom + 1), nullptr);
}

TEST_F(DeviceCopiesTest, TheEndWaitsForCopiesThatArriveSoon) {
  device_.run(device_.currentStream(), 50'000'000);
  EXPECT_TRUE(copy("soon"));
  ASSERT_TRUE(copies_.stop(kLimit));
  EXPECT_EQ(read(), "soon");
}

TEST_F(DeviceCopiesTest, AfterItIsAbandonedTheDeviceIsNotAsked) {
  device_.run(device_.currentStream(), kForever);
  EXPECT_TRUE(copy("a"));
  copies_.stop(std::chrono::milliseconds(0));
  copies_.abandon();
  ASSERT_TRUE(copies_.stop(kLimit));
  const std::size_t asked = device_.queries();
  EXPECT_EQ(read(), "-");
  EXPECT_EQ(device_.queries(), asked);
}

TEST_F(DeviceCopiesTest, ADeviceThatHangsBlocksNobody) {
  EXPECT_TRUE(copy("a"));
  EXPECT_EQ(readOf(1), "a");
  device_.block();
  EXPECT_TRUE(copy("b"));
  EXPECT_TRUE(copy("c"));
  EXPECT_FALSE(copies_.stop(std::chrono::milliseconds(1)));
  EXPECT_FALSE(begin());
  device_.release();
  EXPECT_TRUE(copies_.stop(kLimit));
  EXPECT_EQ(read().size(), 3u);
}

TEST_F(DeviceCopiesTest, AfterTheEndNothingIsCopied) {
  ASSERT_TRUE(copies_.stop(kLimit));
  EXPECT_FALSE(copy("a"));
}

TEST_F(DeviceCopiesTest, ABatchThatOutlivesTheThreadIsLost) {
  auto batch = begin();
  ASSERT_TRUE(batch->copy("abc", 3));
  ASSERT_TRUE(copies_.stop(kLimit));
  std::optional<bool> came;
  batch->whenArrived([&](bool arrived) { came = arrived; });
  EXPECT_EQ(came, false);
}

TEST_F(DeviceCopiesTest, DuringACaptureTheDeviceIsNotAsked) {
  const auto stream = device_.currentStream();
  device_.capture(stream, 1);
  const std::int64_t quiet_until_ns = nowNs() + DeviceTimes::kQuiet;
  EXPECT_EQ(copies_.streamState().capture.graph, 1u);
  device_.setCurrentStream(FakeDevice::stream(9));
  EXPECT_TRUE(copy("a"));
  EXPECT_EQ(readOf(1), "a");
  EXPECT_GE(nowNs(), quiet_until_ns);
  EXPECT_FALSE(device_.disturbedCapture());
}

TEST(DeviceCopiesWithoutMemoryTest, NothingIsCopied) {
  FakeDevice device([] { return nowNs(); });
  device.refuseEvents();
  CollectingDeviceSink::Collected collected;
  Untimed untimed;
  AbortedCommunicators aborted;
  DeviceTimes times(device.events(), DeviceTimeMode::kOff,
                    std::make_unique<CollectingDeviceSink>(collected), untimed,
                    aborted);
  DeviceCopies copies(times, kRoom);
  EXPECT_FALSE(copies.begin(device.currentStream()));
}

}  // namespace
}  // namespace traced::testing
