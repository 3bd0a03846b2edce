#include "recorder/resources/thread_delays.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "recorder/standstill/thread_activity.h"

namespace traced {
namespace {

// A thread that spins on one processor until this object is destroyed.
class Spinning {
 public:
  Spinning() : thread_([this] { run(); }) {
    while (tid_ == 0) std::this_thread::yield();
  }
  ~Spinning() {
    ends_ = true;
    thread_.join();
  }
  std::int64_t tid() const { return tid_; }

 private:
  void run() {
    cpu_set_t one;
    sched_getaffinity(0, sizeof one, &one);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &one)) ++cpu;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    tid_ = gettid();
    while (!ends_) {
    }
  }

  std::atomic<bool> ends_{false};
  std::atomic<std::int64_t> tid_{0};
  std::thread thread_;
};

// Measures until a thread was delayed. The kernel adds a delay when it gives
// the thread a processor.
ThreadDelays::Delays awaitDelay(ThreadDelays& delays, std::int64_t tid) {
  ThreadDelays::Delays found;
  while (found.issuer_ns.value_or(0) == 0) found = delays.measure({tid});
  return found;
}

class ThreadDelaysTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!scheduleOf(getpid()).delay_ns) {
      GTEST_SKIP() << "the kernel counts no delays";
    }
  }
};

TEST_F(ThreadDelaysTest, SeesThreadsThatShareAProcessor) {
  ThreadDelays delays;
  const Spinning one;
  const Spinning other;
  const ThreadDelays::Delays found = awaitDelay(delays, one.tid());
  EXPECT_LE(*found.issuer_ns, found.sum_ns.value());
  EXPECT_EQ(delays.measure({getpid()}).issuer_ns, std::nullopt);
}

TEST_F(ThreadDelaysTest, IsAbsentAfterTooManyThreads) {
  ThreadDelays delays;
  const Spinning one;
  const Spinning other;
  {
    std::promise<void> end;
    const std::shared_future<void> ended = end.get_future().share();
    std::vector<std::jthread> many;
    for (std::size_t i = 0; i < ThreadDelays::kMaxThreads; ++i) {
      many.emplace_back([ended] { ended.wait(); });
    }
    EXPECT_FALSE(delays.measure({one.tid()}).sum_ns);
    end.set_value();
  }
  EXPECT_FALSE(delays.measure({one.tid()}).sum_ns) << "of a longer time";
  awaitDelay(delays, one.tid());
}

}  // namespace
}  // namespace traced
