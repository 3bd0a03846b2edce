#include "cli/diagnose/process_life.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ring_io/chunks/trace_header.h"

namespace traced {
namespace {

class ProcessLifeTest : public ::testing::Test {
 protected:
  ProcessLifeTest() : header_(makeHeader(Options{}, {}, here_, 7)) {}

  const HostInfo here_ = readHostInfo();
  v1::Header header_;
};

TEST_F(ProcessLifeTest, OurOwnRuns) {
  EXPECT_EQ(lifeOf(header_, here_), ProcessLife::kRuns);
}

TEST_F(ProcessLifeTest, NothingIsSaidOfWhatIsNotSeenFromHere) {
  HostInfo elsewhere = here_;
  elsewhere.boot_id = "another";
  EXPECT_EQ(lifeOf(header_, elsewhere), ProcessLife::kUnseen);
  elsewhere = here_;
  ++elsewhere.pid_namespace;
  EXPECT_EQ(lifeOf(header_, elsewhere), ProcessLife::kUnseen);
  header_.clear_pid_namespace();
  EXPECT_EQ(lifeOf(header_, here_), ProcessLife::kUnseen) << "an older trace";
}

TEST_F(ProcessLifeTest, WhatIsDeadHasEndedAlsoBeforeItsParentKnows) {
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

TEST_F(ProcessLifeTest, AnotherProcessOfTheSameNumberIsNotTheJobs) {
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
