// Tests samples of threads of this process.

#include "recorder/standstill/thread_sample.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace traced {
namespace {

v1::Stack stackOf(const std::vector<std::pair<std::string, int>>& lines) {
  v1::Stack stack;
  for (const auto& [function, line] : lines) {
    v1::Frame& frame = *stack.add_frame();
    frame.set_function(function);
    frame.set_line(static_cast<std::uint32_t>(line));
  }
  return stack;
}

// Answers with given stacks, the last one again and again.
class FakePython final : public PythonThreads {
 public:
  explicit FakePython(std::deque<std::optional<v1::Stack>> stacks)
      : stacks_(std::move(stacks)) {}
  std::vector<std::int64_t> all() override { return {}; }
  std::optional<v1::Stack> stackOf(std::int64_t) override {
    const auto stack = stacks_.front();
    if (stacks_.size() > 1) stacks_.pop_front();
    return stack;
  }
  InterpreterState interpreter() override { return {}; }
  bool isGil(std::uint64_t address) override { return address == gil; }

  std::uint64_t gil = 0;

 private:
  std::deque<std::optional<v1::Stack>> stacks_;
};

// A thread that runs a function until the test ends. `release` must make the
// function return.
class TestThread {
 public:
  TestThread(std::function<void()> run, std::function<void()> release)
      : release_(std::move(release)), thread_([this, run = std::move(run)] {
          tid_ = gettid();
          run();
        }) {
    while (tid_ == 0) std::this_thread::yield();
  }
  ~TestThread() {
    release_();
    thread_.join();
  }
  std::int64_t tid() const { return tid_; }
  // Waits until the thread is in a system call.
  void awaitCall(const std::string& text) const {
    while (waitingCallOf(tid_).text != text || activityOf(tid_).state != 'S') {
      std::this_thread::yield();
    }
  }

 private:
  std::atomic<std::int64_t> tid_{0};
  const std::function<void()> release_;
  std::thread thread_;
};

TEST(ThreadSampleTest, ASleepingThreadIsReadExactly) {
  std::mutex mutex;
  mutex.lock();
  const TestThread thread([&] { std::lock_guard lock(mutex); },
                          [&] { mutex.unlock(); });
  thread.awaitCall("futex");
  FakePython python({stackOf({{"f", 1}}), stackOf({{"g", 2}})});
  python.gil = reinterpret_cast<std::uintptr_t>(&mutex);
  const ThreadSample sample = sampleThread(thread.tid(), &python);
  EXPECT_EQ(sample.reading, v1::STACK_READING_EXACT);
  EXPECT_EQ(sample.stack.frame(0).function(), "f");
  EXPECT_EQ(sample.activity.state, 'S');
  EXPECT_EQ(sample.waits_in, "futex");
  EXPECT_TRUE(sample.waits_for_gil);
  python.gil = 1;
  EXPECT_FALSE(sampleThread(thread.tid(), &python).waits_for_gil);
}

TEST(ThreadSampleTest, NamesTheFileThatAThreadWaitsFor) {
  const std::string path =
      ::testing::TempDir() + "fifo." + std::to_string(getpid());
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int file = open(path.c_str(), O_RDWR);
  {
    const TestThread thread(
        [&] {
          char byte = 0;
          ASSERT_EQ(read(file, &byte, 1), 1);
        },
        [&] { ASSERT_EQ(write(file, "x", 1), 1); });
    thread.awaitCall("read " + path);
  }
  close(file);
  unlink(path.c_str());
}

class RunningThreadTest : public ::testing::Test {
 protected:
  ThreadSample sample(std::deque<std::optional<v1::Stack>> stacks) {
    FakePython python(std::move(stacks));
    return sampleThread(thread_.tid(), &python);
  }

  std::atomic<bool> stop_{false};
  const TestThread thread_{[this] {
                             while (!stop_) {
                             }
                           },
                           [this] { stop_ = true; }};
};

TEST_F(RunningThreadTest, TwoEqualReadingsAreAccepted) {
  const auto result =
      sample({stackOf({{"a", 1}}), stackOf({{"b", 2}}), std::nullopt,
              stackOf({{"b", 3}}), stackOf({{"b", 3}})});
  EXPECT_EQ(result.reading, v1::STACK_READING_REPEATED);
  EXPECT_EQ(result.stack.frame(0).line(), 3u);
}

TEST_F(RunningThreadTest, DifferentReadingsHaveTheirOuterFramesInCommon) {
  std::deque<std::optional<v1::Stack>> stacks;
  for (int i = 0; i < 20; ++i) {
    stacks.push_back(stackOf({{"inner", i}, {"loop", 7 + i}, {"main", 30}}));
  }
  const auto result = sample(std::move(stacks));
  EXPECT_EQ(result.reading, v1::STACK_READING_PARTIAL);
  ASSERT_EQ(result.stack.frame_size(), 2);
  EXPECT_EQ(result.stack.frame(0).function(), "loop");
  EXPECT_EQ(result.stack.frame(0).line(), 0u);
  EXPECT_EQ(result.stack.frame(1).line(), 30u);
}

TEST_F(RunningThreadTest, UnreadableStacksAreReported) {
  EXPECT_EQ(sample({std::nullopt}).reading, v1::STACK_READING_FAILED);
  EXPECT_EQ(sample({v1::Stack()}).reading, v1::STACK_READING_NO_PYTHON);
}

TEST(ThreadSampleTest, WithoutPythonOnlyTheKernelIsAsked) {
  // The kernel counts the time of a running thread at its ticks.
  while (scheduleOf(gettid()).cpu_ns == 0u) {
  }
  const ThreadSample sample = sampleThread(gettid(), nullptr);
  EXPECT_EQ(sample.reading, v1::STACK_READING_UNSPECIFIED);
  EXPECT_EQ(sample.activity.state, 'R');
  EXPECT_GT(sample.activity.schedule.cpu_ns.value_or(1), 0u);
}

TEST(ThreadSampleTest, AThreadThatHasEndedHasNoState) {
  std::int64_t tid = 0;
  std::thread([&tid] { tid = gettid(); }).join();
  EXPECT_EQ(sampleThread(tid, nullptr).activity.state, 0);
}

TEST(CommonOfTest, CutStacksHaveNothingKnownInCommon) {
  v1::Stack stack = stackOf({{"f", 1}});
  stack.set_cut(3);
  EXPECT_EQ(commonOf(stack, stackOf({{"f", 1}})).frame_size(), 0);
}

}  // namespace
}  // namespace traced
