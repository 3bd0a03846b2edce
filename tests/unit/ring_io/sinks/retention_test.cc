// Tests a process that writes many times its limit, with a check at every step.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "support/recovered_trace.h"
#include "support/temp_dir.h"

namespace traced::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxBytes = 64 * 1024;
constexpr std::chrono::seconds kFlush{20};

class RetentionTest : public ::testing::Test {
 protected:
  Options options(std::uint64_t max_bytes) const {
    Options options;
    options.resources_ns = 0;  // the test counts records
    options.directory = dir_.path() + "/traces";
    options.ring_directory = dir_.path();
    options.max_bytes = max_bytes;
    return options;
  }

  std::uint64_t bytesOnDisk() const {
    std::uint64_t bytes = 0;
    for (const auto& entry :
         fs::recursive_directory_iterator(dir_.path() + "/traces")) {
      if (entry.is_regular_file()) bytes += entry.file_size();
    }
    return bytes;
  }

  // Checks that the rest is whole, self-contained, the newest, and accounted
  // for.
  void check(std::uint64_t records, std::uint64_t last_seq) {
    ASSERT_LE(bytesOnDisk(), kMaxBytes);
    // Without a gap between its chunks, and with its definitions.
    const RecoveredTrace trace = readRecovered(dir_.path() + "/traces");
    ASSERT_FALSE(trace.payloads.empty());
    for (const v1::Payload& payload : trace.payloads) {
      EXPECT_EQ(payload.header().job(), "job");
    }
    const v1::Accounts& accounts = trace.accounts();
    std::uint64_t deleted = 0;
    for (const v1::Drop& drop : accounts.drop()) {
      ASSERT_EQ(drop.reason(), v1::DROP_REASON_RETENTION);
      deleted = drop.records();
    }
    EXPECT_EQ(accounts.produced(), records);
    EXPECT_EQ(accounts.stored(), trace.rows);
    EXPECT_EQ(trace.rows + deleted, records);
    EXPECT_EQ(deleted > 0, trace.positions_begin > 0) << "the cut is recorded";
    ASSERT_TRUE(trace.seqs.count(0));
    EXPECT_EQ(trace.seqs.at(0).back(), last_seq) << "the oldest go first";
    deleted_ = deleted;
  }

  // Runs `body` in a process of its own, like a recorder.
  template <typename Body>
  void inProcess(Body body) {
    const pid_t child = fork();
    if (child == 0) {
      body();
      Recorder::stopCurrent(kFlush);  // more may be left than an exit waits for
      std::exit(HasFailure());
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }

  TempDir dir_;
  std::uint64_t deleted_ = 0;
};

TEST_F(RetentionTest, TheBoundHoldsAtEveryStepAndTheRestIsWhole) {
  constexpr std::uint64_t kSteps = 300;
  constexpr std::uint64_t kOperations = 300;  // in a step
  inProcess([&] {
    Recorder& recorder = **Recorder::start(options(kMaxBytes), {});
    auto group = recorder.addGroup(worldOfTwo());
    std::uint64_t seq = 0;
    std::uint64_t written = 0;
    for (std::uint64_t step = 0; step < kSteps && !HasFailure(); ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      const std::uint64_t before = bytesOnDisk();
      for (std::uint64_t i = 0; i < kOperations; ++i) {
        ++seq;
        completeCall(recorder, *group, seq, 0,
                     static_cast<std::int64_t>(seq % 50 + 1));
      }
      ASSERT_TRUE(recorder.flush(kFlush));
      check(seq * 5, seq);
      if (bytesOnDisk() > before) written += bytesOnDisk() - before;
    }
    EXPECT_GT(written, 10 * kMaxBytes) << "many times the bound";
    EXPECT_GT(deleted_, seq * 5 / 2);
  });
  // Also when the process has ended.
  check(kSteps * kOperations * 5, kSteps * kOperations);
}

TEST_F(RetentionTest, ALargeRingIsWrittenInChunksThatFit) {
  constexpr std::uint64_t kOperations = 50'000;
  inProcess([&] {
    Options large = options(kMaxBytes);
    large.ring_slots = 1 << 19;
    Recorder& recorder = **Recorder::start(large, {});
    auto group = recorder.addGroup(worldOfTwo());
    for (std::uint64_t i = 1; i <= kOperations; ++i) {
      completeCall(recorder, *group, i);
    }
  });
  check(kOperations * 5, kOperations);
}

}  // namespace
}  // namespace traced::testing
