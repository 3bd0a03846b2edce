// Kills processes at the named points of the ring, the writer, the rotation and
// the recovery. The process reaches a point many times, and one is drawn.

#include <filesystem>
#include <iostream>
#include <random>

#include "kill_points.h"
#include "ring_io/recovery/recover_segments.h"
#include "support/temp_dir.h"
#include "workload.h"

namespace traced::testing {
namespace {

namespace fs = std::filesystem;

// A limit at which the workload rotates every few chunks.
constexpr std::uint64_t kMaxBytes = 96 * 1024;

std::uint64_t timesEach() { return number("TRACED_KILLS_EACH", 3); }

class Seeded : public ::testing::TestWithParam<const char*> {
 protected:
  Seeded()
      : seed_(number("TRACED_SEED", std::random_device{}())), random_(seed_) {}

  std::uint64_t upTo(std::uint64_t most) {
    const std::uint64_t nth = random_() % most + 1;
    trace_ = std::make_unique<::testing::ScopedTrace>(
        __FILE__, __LINE__,
        "seed " + std::to_string(seed_) + ", time " + std::to_string(nth));
    return nth;
  }

  // Runs `body` in a child that dies at the point.
  template <typename Body>
  static void dieIn(const char* point, std::uint64_t nth, Body body) {
    const pid_t child = fork();
    if (child == 0) {
      dieAt(point, nth);
      body();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it never came to " << point;
    ASSERT_EQ(WTERMSIG(status), SIGKILL);
  }

  const std::uint64_t seed_;
  std::mt19937_64 random_;
  std::unique_ptr<::testing::ScopedTrace> trace_;
};

// Returns up to which time to draw: a process reaches a point in a ring far
// more often in its first seconds than another one.
std::uint64_t often(const std::string& point) {
  return point.starts_with("event") ? 5000 : 50;
}

class KillPointTest : public Seeded {};

TEST_P(KillPointTest, NothingPushedIsLost) {
  for (std::uint64_t i = 0; i < timesEach() && !HasFailure(); ++i) {
    const TempDir dir;
    const SharedTruth truth;
    dieIn(GetParam(), upTo(often(GetParam())),
          [&] { recordForEver(optionsIn(dir.path()), *truth); });
    const RecoveredTrace trace =
        bringBack(dir.path(), i % 2 == 0 ? By::kRecover : By::kMerge);
    EXPECT_EQ(segmentsIn(dir.path()), 0u);
    expectAllOf(*truth, trace);
  }
}

INSTANTIATE_TEST_SUITE_P(Ring, KillPointTest,
                         ::testing::Values("event claimed", "event filled",
                                           "event committed",
                                           "definition claimed",
                                           "definition filled",
                                           "definition committed",
                                           "refusals counted", "slots freed"));
INSTANTIATE_TEST_SUITE_P(Writer, KillPointTest,
                         ::testing::Values("chunk encoded", "chunk appended"));

class KillInOverflowTest : public Seeded {};

// Slots of written records are claimed again at once, so no slot may be freed
// too early.
TEST_P(KillInOverflowTest, EachRecordIsThereOrCountedForItsThread) {
  for (std::uint64_t i = 0; i < timesEach() && !HasFailure(); ++i) {
    const TempDir dir;
    const SharedTruth truth;
    dieIn(GetParam(), upTo(often(GetParam())), [&] {
      Options options = optionsIn(dir.path());
      options.ring_slots = 4096;
      recordForEver(options, *truth, Pace::kAsFastAsCanBe);
    });
    expectEachAccountedFor(*truth, bringBack(dir.path(), By::kRecover));
  }
}

INSTANTIATE_TEST_SUITE_P(RingAndWriter, KillInOverflowTest,
                         ::testing::Values("event filled", "refusals counted",
                                           "slots freed", "chunk encoded",
                                           "chunk appended"));

// Cuts the end of the file, as if the process had died during the write.
TEST_F(Seeded, AKillWithinAWriteLosesNothing) {
  for (std::uint64_t i = 0; i < 5 * timesEach() && !HasFailure(); ++i) {
    const TempDir dir;
    const SharedTruth truth;
    dieIn("chunk appended", upTo(50),
          [&] { recordForEver(optionsIn(dir.path()), *truth); });
    for (const auto& file :
         fs::recursive_directory_iterator(tracesIn(dir.path()))) {
      if (!file.is_regular_file()) continue;
      v1::Trace written;
      ASSERT_TRUE(written.ParseFromString(readFile(file.path())));
      const auto last = static_cast<std::uint64_t>(
          written.chunk(written.chunk_size() - 1).ByteSizeLong());
      fs::resize_file(file.path(), file.file_size() - random_() % last);
    }
    const RecoveredTrace trace = bringBack(dir.path(), By::kRecover);
    expectAllOf(*truth, trace);
  }
}

class KillInRotationTest : public Seeded {};

TEST_P(KillInRotationTest, TheAccountsStillAddUpAndTheBoundHolds) {
  for (std::uint64_t i = 0; i < timesEach() && !HasFailure(); ++i) {
    const TempDir dir;
    const SharedTruth truth;
    dieIn(GetParam(), upTo(6), [&] {
      Options options = optionsIn(dir.path());
      options.max_bytes = kMaxBytes;
      recordForEver(options, *truth);
    });
    expectNewestOf(*truth, bringBack(dir.path(), By::kRecover));
    std::uint64_t bytes = 0;
    for (const auto& file :
         fs::recursive_directory_iterator(tracesIn(dir.path()))) {
      if (file.is_regular_file()) bytes += file.file_size();
    }
    EXPECT_LE(bytes, kMaxBytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Sink, KillInRotationTest,
                         ::testing::Values("part begun", "part deleted"));

TEST_F(Seeded, AStreamThatWasClosedHasNothingToBringBack) {
  const TempDir dir;
  const SharedTruth truth;
  dieIn("stream closed", 1,
        [&] { recordSome(optionsIn(dir.path()), *truth, 100); });
  EXPECT_EQ(segmentsIn(dir.path()), 1u);
  const RecoveredTrace trace = bringBack(dir.path(), By::kRecover);
  EXPECT_EQ(segmentsIn(dir.path()), 0u);
  expectAllOf(*truth, trace);
  EXPECT_TRUE(trace.accounts().closed());
  EXPECT_EQ(trace.rows - trace.marks, kThreads * recordsOf(100));
}

class KillInMakingTest : public Seeded {};

// While the segment is young, it may be one that a process is creating.
TEST_P(KillInMakingTest, AnEmptySegmentIsRemoved) {
  const TempDir dir;
  const SharedTruth truth;
  dieIn(GetParam(), 1, [&] { recordSome(optionsIn(dir.path()), *truth, 1); });
  const std::vector<std::string> segments = findSegments({dir.path()});
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_TRUE(recoverSegments(segments, {}).empty());
  fs::last_write_time(segments[0],
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  const auto results = recoverSegments(segments, {});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].outcome, RecoverOutcome::kDiscarded) << results[0].why;
  EXPECT_EQ(segmentsIn(dir.path()), 0u);
}

INSTANTIATE_TEST_SUITE_P(Segment, KillInMakingTest,
                         ::testing::Values("segment created", "segment locked",
                                           "segment described"));

class KillInRecoveryTest : public Seeded {};

TEST_P(KillInRecoveryTest, TheNextRecoveryFinishesIt) {
  const TempDir dir;
  const SharedTruth truth;
  dieIn("chunk encoded", upTo(50),
        [&] { recordForEver(optionsIn(dir.path()), *truth); });
  dieIn(GetParam(), 1,
        [&] { recoverSegments(findSegments({dir.path()}), {}); });
  EXPECT_EQ(segmentsIn(dir.path()), 1u);
  const RecoveredTrace trace = bringBack(dir.path(), By::kMerge);
  EXPECT_EQ(segmentsIn(dir.path()), 0u);
  expectAllOf(*truth, trace);
}

INSTANTIATE_TEST_SUITE_P(Recovery, KillInRecoveryTest,
                         ::testing::Values("recovery appended",
                                           "recovery done"));

}  // namespace
}  // namespace traced::testing
