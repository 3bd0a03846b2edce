// What is told of the processes that ranks wait for, at a child of this one.

#include "cli/diagnose/rank_processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "cli/diagnose/process_stat.h"

namespace traced {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t kRank = 3;

class RankProcessesTest : public ::testing::Test {
 protected:
  ~RankProcessesTest() override {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }

  // A child that sleeps for ever.
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
  // What has mapped the program of this test stands for what mapped a ring.
  void look(pid_t pid, const std::string& ring = "", bool alive = true) {
    std::vector<RingReading> rings(1);
    rings[0].path =
        ring.empty() ? std::filesystem::read_symlink("/proc/self/exe").string()
                     : ring;
    rings[0].rank = kRank;
    rings[0].pid = pid;
    rings[0].alive = alive;
    processes_.look(rings);
  }

  pid_t child_ = 0;
  RankProcesses processes_;
};

TEST_F(RankProcessesTest, NothingIsKnownAfterOneLook) {
  startChild();
  look(child_);
  EXPECT_TRUE(processes_.mayJoin(kRank));
  EXPECT_EQ(processes_.sentence(kRank), "");
}

TEST_F(RankProcessesTest, WhoSleepsDoesNotJoin) {
  startChild();
  for (int i = 0; i < 2; ++i) look(child_);
  EXPECT_FALSE(processes_.mayJoin(kRank));
  EXPECT_THAT(processes_.sentence(kRank), HasSubstr(") sleeps: 0.00 s of"));
}

TEST_F(RankProcessesTest, WhoIsStoppedDoesNotJoin) {
  startChild();
  kill(child_, SIGSTOP);
  waitForState('T');
  for (int i = 0; i < 2; ++i) look(child_);
  EXPECT_FALSE(processes_.mayJoin(kRank));
  EXPECT_THAT(processes_.sentence(kRank), HasSubstr("is stopped by a signal"));
}

TEST_F(RankProcessesTest, WhoComputesMayJoin) {
  for (int i = 0; i < 2; ++i) look(getpid());
  EXPECT_TRUE(processes_.mayJoin(kRank));
  EXPECT_THAT(processes_.sentence(kRank), HasSubstr(") computes:"));
}

TEST_F(RankProcessesTest, AnotherProcessOfTheNumberIsNotTheRanks) {
  for (int i = 0; i < 2; ++i) look(getpid(), "a ring that nobody mapped");
  EXPECT_FALSE(processes_.mayJoin(kRank));
  EXPECT_THAT(processes_.sentence(kRank), HasSubstr("cannot be seen"));
}

TEST_F(RankProcessesTest, WhoseProcessHasEndedIsForgotten) {
  startChild();
  look(child_);
  look(child_, "", false);
  EXPECT_FALSE(processes_.mayJoin(kRank));
  EXPECT_EQ(processes_.sentence(kRank), "");
}

}  // namespace
}  // namespace traced
