// Tests the description of processes that ranks wait for, with a child of this
// one.

#include "cli/diagnose/process_activity.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ring_io/chunks/encode_definitions.h"

namespace traced {
namespace {

using Doing = ProcessNow::Doing;

constexpr std::uint32_t kRank = 3;

class RankProcessesTest : public ::testing::Test {
 protected:
  ~RankProcessesTest() override {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }

  // Starts a child that sleeps forever.
  void startChild() {
    child_ = fork();
    if (child_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (;;) pause();
    }
    waitForState('S');
  }
  void waitForState(char state) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    const auto found = [this] {
      return readProcessStat(child_).value_or(ProcessStat{}).state;
    };
    while (found() != state && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
    ASSERT_EQ(found(), state);
  }
  // The mapping of the test program replaces the mapping of a ring.
  void sample(pid_t pid, const std::string& ring = "", bool alive = true) {
    std::vector<RingReading> rings(1);
    rings[0].path =
        ring.empty() ? std::filesystem::read_symlink("/proc/self/exe").string()
                     : ring;
    rings[0].rank = kRank;
    rings[0].pid = pid;
    rings[0].alive = alive;
    processes_.sample(rings);
  }

  std::optional<Doing> doing() const {
    const auto now = processes_.now(kRank);
    return now ? std::optional(now->doing) : std::nullopt;
  }

  pid_t child_ = 0;
  RankProcesses processes_;
};

TEST_F(RankProcessesTest, OneSampleProvesNothing) {
  startChild();
  sample(child_);
  EXPECT_TRUE(processes_.mayJoin(kRank));
  EXPECT_EQ(doing(), std::nullopt);
}

TEST_F(RankProcessesTest, ASleepingProcessDoesNotJoin) {
  startChild();
  for (int i = 0; i < 2; ++i) sample(child_);
  EXPECT_FALSE(processes_.mayJoin(kRank));
  EXPECT_EQ(doing(), Doing::kSleeps);
}

TEST_F(RankProcessesTest, AStoppedProcessDoesNotJoin) {
  startChild();
  kill(child_, SIGSTOP);
  waitForState('T');
  for (int i = 0; i < 2; ++i) sample(child_);
  EXPECT_FALSE(processes_.mayJoin(kRank));
  EXPECT_EQ(doing(), Doing::kStopped);
}

TEST_F(RankProcessesTest, AComputingProcessMayJoin) {
  for (int i = 0; i < 2; ++i) sample(getpid());
  EXPECT_TRUE(processes_.mayJoin(kRank));
  EXPECT_EQ(doing(), Doing::kComputes);
}

TEST_F(RankProcessesTest, AReusedPidIsNotTheRanksProcess) {
  for (int i = 0; i < 2; ++i) sample(getpid(), "a ring that nobody mapped");
  EXPECT_FALSE(processes_.mayJoin(kRank));
  EXPECT_EQ(doing(), Doing::kHidden);
}

TEST_F(RankProcessesTest, ForgetsAnEndedProcess) {
  startChild();
  sample(child_);
  sample(child_, "", false);
  EXPECT_FALSE(processes_.mayJoin(kRank));
  EXPECT_EQ(doing(), std::nullopt);
}

class ProcessLifeTest : public ::testing::Test {
 protected:
  ProcessLifeTest() : header_(makeHeader(Options{}, {}, here_, 7)) {}

  const HostInfo here_ = readHostInfo();
  v1::Header header_;
};

TEST_F(ProcessLifeTest, OwnProcessRuns) {
  EXPECT_EQ(lifeOf(header_, here_), ProcessLife::kRuns);
}

TEST_F(ProcessLifeTest, AnInvisibleProcessHasNoState) {
  HostInfo elsewhere = here_;
  elsewhere.boot_id = "another";
  EXPECT_EQ(lifeOf(header_, elsewhere), ProcessLife::kUnseen);
  elsewhere = here_;
  ++elsewhere.pid_namespace;
  EXPECT_EQ(lifeOf(header_, elsewhere), ProcessLife::kUnseen);
  header_.clear_pid_namespace();
  EXPECT_EQ(lifeOf(header_, here_), ProcessLife::kUnseen) << "an older trace";
}

TEST_F(ProcessLifeTest, AZombieHasEnded) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  header_.set_pid(child);
  siginfo_t info;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT),
            0);
  EXPECT_EQ(lifeOf(header_, here_), ProcessLife::kEnded) << "a zombie";
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(lifeOf(header_, here_), ProcessLife::kEnded);
}

TEST_F(ProcessLifeTest, AReusedPidIsNotTheJobsProcess) {
  auto& started = *header_.mutable_started();
  started.set_boottime_ns(started.boottime_ns() - 86'400'000'000'000);
  EXPECT_EQ(lifeOf(header_, here_), ProcessLife::kEnded);
}

TEST_F(ProcessLifeTest, ImpossibleNumbersAreOfNoProcess) {
  for (const std::int64_t pid :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 32,
        std::int64_t{1} << 62}) {
    header_.set_pid(pid);
    EXPECT_EQ(lifeOf(header_, here_), ProcessLife::kEnded) << pid;
  }
}

}  // namespace

}  // namespace traced
