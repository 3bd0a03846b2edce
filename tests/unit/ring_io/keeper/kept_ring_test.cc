// Tests a recording process and the keeper that watches it.

#include "ring_io/keeper/kept_ring.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <fstream>
#include <functional>
#include <utility>

#include "ring_io/keeper/keeper_lock.h"
#include "ring_io/keeper/oom_kills.h"
#include "ring_io/keeper/start_keeper.h"
#include "ring_io/keeper/sweep.h"
#include "support/write_file.h"
#include "unit/ring_io/recovery/recover_fixture.h"

namespace {

// Runs once, when the keeper begins to wait.
std::function<void()> while_waiting;

}  // namespace

// Overrides the function of libc.
extern "C" int poll(pollfd* fds, nfds_t count, int timeout_ms) {
  if (timeout_ms != 0 && while_waiting) std::exchange(while_waiting, nullptr)();
  static const auto of_libc =
      reinterpret_cast<decltype(&poll)>(dlsym(RTLD_NEXT, "poll"));
  return of_libc(fds, count, timeout_ms);
}

namespace traced::testing {
namespace {

using State = KeptRing::State;

constexpr std::chrono::milliseconds kLongSweep{20000};
constexpr std::time_t kTwoDays = 2 * 24 * 60 * 60;

class KeptRingTest : public RecoverTest {
 protected:
  // Starts a process that records, and waits until it is told to end.
  void startProcess(bool closes) {
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    ASSERT_EQ(pipe(go_on_), 0);
    pid_ = fork();
    if (pid_ == 0) {
      start().mark(MarkKind::kStep, 1);
      char byte = 0;
      static_cast<void>(!write(ready[1], &byte, 1));
      static_cast<void>(!read(go_on_[0], &byte, 1));
      if (closes) Recorder::stopCurrent(kFlushLimit);
      _exit(7);
    }
    char byte;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    ring_ = KeptRing::open(segments().at(0));
    ASSERT_TRUE(ring_);
  }
  void end() {
    static_cast<void>(!write(go_on_[1], "x", 1));
    waitUnreaped();
  }
  void waitUnreaped() const {
    siginfo_t info;
    waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
  }
  void reap() const { waitpid(pid_, nullptr, 0); }

  pid_t pid_ = 0;
  int go_on_[2] = {};
  std::unique_ptr<KeptRing> ring_;
};

TEST_F(KeptRingTest, IsInUseWhileItsProcessLives) {
  startProcess(true);
  EXPECT_EQ(ring_->state(), State::kInUse);
  EXPECT_EQ(ring_->header().rank(), 1u);
  ring_->noteEnd(ring_->state());
  EXPECT_EQ(ring_->processEnd().seen_by(), 0);
  end();
  EXPECT_EQ(ring_->state(), State::kGone);
  reap();
}

TEST_F(KeptRingTest, WithoutItsNameItIsWatchedAndRecovered) {
  startProcess(false);
  std::filesystem::remove(segments().at(0));
  EXPECT_EQ(ring_->state(), State::kInUse);
  end();
  EXPECT_EQ(ring_->state(), State::kLeft);
  EXPECT_EQ(recoverSegment(ring_->file(), {}).outcome,
            RecoverOutcome::kRecovered);
  EXPECT_EQ(recoverSegment(ring_->file(), {}).records, 0U);
  reap();
}

TEST_F(KeptRingTest, ReadsTheExitCodeBeforeAndAfterAWait) {
  for (const bool reaped : {false, true}) {
    startProcess(false);
    if (ring_->processFd() < 0) GTEST_SKIP() << "no process can be watched";
    end();
    if (reaped) reap();
    EXPECT_EQ(ring_->state(), State::kLeft);
    ring_->noteEnd(ring_->state());
    if (!reaped) reap();
    const v1::ProcessEnd end = ring_->processEnd();
    if (reaped && end.seen_by() == 0) GTEST_SKIP() << "needs Linux 6.15";
    EXPECT_EQ(end.seen_by(), v1::PROCESS_END_OBSERVER_KEEPER);
    EXPECT_EQ(end.exit_code(), 7u);
    EXPECT_EQ(end.signal(), 0u);
    recover();
  }
}

TEST_F(KeptRingTest, AProcessThatIsAboutToEndIsWaitedFor) {
  startProcess(false);
  if (ring_->processFd() < 0) GTEST_SKIP() << "no process can be watched";
  while_waiting = [this] { end(); };
  ring_->noteEnd(State::kLeft);
  EXPECT_EQ(ring_->processEnd().exit_code(), 7u);
  if (std::exchange(while_waiting, nullptr)) end();
  reap();
}

TEST_F(KeptRingTest, TheSignalThatEndedItIsSeenAndKept) {
  startProcess(false);
  if (ring_->processFd() < 0) GTEST_SKIP() << "no process can be watched";
  kill(pid_, SIGKILL);
  waitUnreaped();
  ring_->noteEnd(ring_->state());
  RecoverOptions options;
  options.process_end = ring_->processEnd();
  EXPECT_EQ(options.process_end.signal(), static_cast<std::uint32_t>(SIGKILL));
  EXPECT_FALSE(options.process_end.has_exit_code());
  reap();
  recover(options);
  const auto payloads = decodeTrace(readFile(traceFile()));
  ASSERT_FALSE(payloads.empty());
  EXPECT_EQ(payloads.back().process_end().signal(), 9u);
}

TEST_F(KeptRingTest, RingsOfOtherUsersAreNotKept) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  killOne();
  const std::string path = segments().at(0);
  EXPECT_TRUE(KeptRing::open(path));
  ASSERT_EQ(chown(path.c_str(), 12345, 12345), 0);
  EXPECT_FALSE(KeptRing::open(path));
}

TEST_F(KeptRingTest, ASweepRecoversRingsOfOlderJobs) {
  killOne();
  sweepRings(dir_.path(), kLongSweep, std::time(nullptr));
  EXPECT_TRUE(segments().empty());
  EXPECT_TRUE(readRecovered(traces()).accounts().recovered());
}

TEST_F(KeptRingTest, ASweepLeavesLiveRingsAlone) {
  startProcess(true);
  sweepRings(dir_.path(), kLongSweep, std::time(nullptr) + kTwoDays);
  EXPECT_EQ(segments().size(), 1u);
  end();
  reap();
}

TEST_F(KeptRingTest, ASweepLeavesRingsToTheirKeeper) {
  killOne();
  const auto content = SegmentFile::open(segments().at(0))->describe();
  ASSERT_TRUE(content);
  const std::string path = KeeperLock::pathFor(
      dir_.path(), jobStartKey(content->trace_path, content->header));
  const KeeperLock lock(path);
  struct stat status;
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  if (!lockOwner(status.st_dev, status.st_ino)) GTEST_SKIP() << "/proc/locks";
  sweepRings(dir_.path(), kLongSweep, std::time(nullptr));
  EXPECT_EQ(segments().size(), 1u);
}

TEST_F(KeptRingTest, AShortSweepRecoversOnlyItsOwnFolder) {
  killOne();
  constexpr std::chrono::milliseconds kNoTime{-1};
  sweepRings(dir_.path(), kNoTime, std::time(nullptr), "/elsewhere");
  EXPECT_EQ(segments().size(), 1u);
  const auto folder = std::filesystem::path(traceFile()).parent_path();
  sweepRings(dir_.path(), kNoTime, std::time(nullptr), folder.string());
  EXPECT_TRUE(segments().empty());
}

TEST_F(KeptRingTest, RemovesAnUnrecoverableRingAfterADay) {
  killOne();
  const std::time_t now = std::time(nullptr);
  std::filesystem::remove_all(traces());
  // Found for the first time, whatever its age.
  sweepRings(dir_.path(), kLongSweep, now + kTwoDays);
  EXPECT_EQ(segments().size(), 1u);
  sweepRings(dir_.path(), kLongSweep, now);
  EXPECT_EQ(segments().size(), 1u);
  sweepRings(dir_.path(), kLongSweep, now + kTwoDays);
  EXPECT_TRUE(segments().empty());
}

TEST_F(KeptRingTest, ALockThatAKilledKeeperLeftIsRemovedAfterADay) {
  const std::string path = KeeperLock::pathFor(dir_.path(), "/traces/job");
  { const KeeperLock killed(path); }
  sweepRings(dir_.path(), kLongSweep, std::time(nullptr));
  EXPECT_TRUE(std::filesystem::exists(path));
  sweepRings(dir_.path(), kLongSweep, std::time(nullptr) + kTwoDays);
  EXPECT_FALSE(std::filesystem::exists(path));
}

class OomKillsTest : public ::testing::Test {
 protected:
  // Writes a cgroup's memory.events with this number of OOM kills.
  void count(int kills) const {
    writeFile(path_, "low 0\noom 3\noom_kill " + std::to_string(kills) + "\n");
  }

  const TempDir dir_;
  const std::string path_ = dir_.path() + "/memory.events";
  const OomKills::Clock::time_point now_ = OomKills::Clock::now();
};

TEST_F(OomKillsTest, EachKillIsOneProcess) {
  count(2);
  OomKills kills(path_);
  EXPECT_FALSE(kills.claim(now_));
  count(3);
  EXPECT_TRUE(kills.claim(now_));
  EXPECT_FALSE(kills.claim(now_));
}

TEST_F(OomKillsTest, AKillLongAgoWasAnotherProcess) {
  count(0);
  OomKills kills(path_);
  count(1);
  kills.poll(now_);
  EXPECT_FALSE(kills.claim(now_ + std::chrono::seconds(30)));
}

TEST_F(OomKillsTest, WithoutACounterNothingIsClaimed) {
  OomKills kills(dir_.path() + "/nothing");
  kills.poll(now_);
  EXPECT_FALSE(kills.claim(now_));
}

}  // namespace
}  // namespace traced::testing
