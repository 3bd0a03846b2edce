// Processes that are killed at random instants while several threads record,
// held against what they said they had recorded.
//
// TRACED_KILLS=1000 makes it long; TRACED_SEED repeats a run.

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <random>
#include <thread>

#include "recorder/recover.h"
#include "recovered_trace.h"
#include "support/temp_dir.h"

namespace traced::testing {
namespace {

constexpr int kThreads = 4;

// Shared with the child. Numbers of operations, from 1.
struct Truth {
  std::atomic<std::uint64_t> begun[kThreads];
  std::atomic<std::uint64_t> issued[kThreads];
  std::atomic<std::uint64_t> completed[kThreads];
};

std::uint64_t number(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

class KillTest : public ::testing::Test {
 protected:
  KillTest()
      : truth_(static_cast<Truth*>(mmap(nullptr, sizeof(Truth),
                                        PROT_READ | PROT_WRITE,
                                        MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~KillTest() override { munmap(truth_, sizeof(Truth)); }

  void recordOn(Recorder& recorder, RecordedGroup& group, int thread) {
    const auto batch = static_cast<std::uint64_t>(thread) + 1;
    for (std::uint64_t i = 1;; ++i) {
      truth_->begun[thread] = i;
      // Shapes change, so that definitions come and go.
      const auto elements = static_cast<std::int64_t>(i % 400 + batch * 1000);
      const OpId op = issueCall(recorder, group, i, batch, elements);
      truth_->issued[thread] = i;
      i % 50 == 0 ? recorder.threw(op, nowNs(), "it failed")
                  : recorder.returned(op, nowNs());
      recorder.done(op, nowNs(), EndSource::kFuture);
      recorder.waited({op, nowNs(), 5, 0, 0, 0, Outcome::kOk, true});
      recorder.released(op);
      truth_->completed[thread] = i;
      if (i % 8 == 0) usleep(500);
    }
  }

  // Never returns. Chunks are written as fast as they can be, so that many
  // kills fall into a write.
  [[noreturn]] void record(const std::string& directory) {
    Options options;
    options.directory = directory + "/traces";
    options.ring_directory = directory;
    Recorder& recorder = **Recorder::start(options, {});
    auto group = recorder.addGroup(worldOfTwo());
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] { recordOn(recorder, *group, t); });
    }
    for (;;) recorder.flush(std::chrono::seconds(10));
  }

  void killAfter(std::chrono::microseconds delay,
                 const std::string& directory) {
    for (int t = 0; t < kThreads; ++t) {
      truth_->begun[t] = truth_->issued[t] = truth_->completed[t] = 0;
    }
    const pid_t child = fork();
    if (child == 0) record(directory);
    while (truth_->begun[0] == 0) usleep(100);
    std::this_thread::sleep_for(delay);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }

  void checkThread(const RecoveredTrace& trace, int thread) {
    const auto found = trace.seqs.find(static_cast<std::uint64_t>(thread) + 1);
    const std::uint64_t issued =
        found == trace.seqs.end() ? 0 : found->second.size();
    EXPECT_GE(issued, truth_->issued[thread]) << "what was issued is there";
    EXPECT_LE(issued, truth_->begun[thread]);
    for (std::uint64_t i = 0; i < issued; ++i) {
      ASSERT_EQ(found->second[i], i + 1) << "without a hole, and once";
    }
  }

  void check(const std::string& directory) {
    const RecoveredTrace trace = readRecovered(directory + "/traces");
    std::uint64_t at_least = 0;
    std::uint64_t at_most = 0;
    ASSERT_EQ(trace.accounts().drop_size(), 0) << "the test is too fast";
    for (int t = 0; t < kThreads; ++t) {
      SCOPED_TRACE("thread " + std::to_string(t));
      checkThread(trace, t);
      at_least += truth_->completed[t] * 5;
      at_most += truth_->begun[t] * 5;
    }
    // The writer's own: some of the calls fail.
    std::uint64_t marks = 0;
    for (const v1::Payload& payload : trace.payloads) {
      marks += static_cast<std::uint64_t>(payload.marked().kind_size());
    }
    EXPECT_GE(trace.rows - marks, at_least);
    EXPECT_LE(trace.rows - marks, at_most);
    int open = 0;
    for (const auto& [op, rows] : trace.rows_of) {
      ASSERT_LE(rows, 5) << "nothing twice";
      open += rows < 5;
    }
    EXPECT_LE(open, kThreads);
    EXPECT_EQ(trace.accounts().stored(), trace.rows);
    EXPECT_EQ(trace.accounts().produced(), trace.rows);
    EXPECT_TRUE(trace.accounts().recovered());
  }

  Truth* const truth_;
};

TEST_F(KillTest, NothingCommittedIsLostAndNothingIsThereTwice) {
  const std::uint64_t kills = number("TRACED_KILLS", 30);
  const std::uint64_t seed = number("TRACED_SEED", std::random_device{}());
  std::cout << "seed " << seed << ", " << kills << " kills\n";
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int> delay_us(0, 60'000);
  std::uint64_t recovered = 0;
  std::uint64_t unfinished = 0;
  for (std::uint64_t i = 0; i < kills && !HasFailure(); ++i) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", kill " +
                 std::to_string(i));
    const TempDir dir;
    killAfter(std::chrono::microseconds(delay_us(random)), dir.path());
    const auto segments = recoverSegments(findSegments({dir.path()}), {});
    ASSERT_EQ(segments.size(), 1u);
    ASSERT_EQ(segments[0].outcome, RecoverOutcome::kRecovered)
        << segments[0].why;
    EXPECT_EQ(segments[0].broken_records, 0u);
    check(dir.path());
    recovered += segments[0].records;
    unfinished += segments[0].unfinished_slots;
  }
  std::cout << recovered << " records brought back, " << unfinished
            << " slots unfinished\n";
}

}  // namespace
}  // namespace traced::testing
