// Tests a program that is started beside a job, and its effects on the job.

#include "ring_io/keeper/detached_process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "support/temp_dir.h"
#include "support/trace_file.h"

namespace traced {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::chrono::seconds kLimit{20};

class DetachedProcessTest : public ::testing::Test {
 protected:
  // Returns what a shell script writes to descriptor 2, or "" if it does not
  // end.
  std::string run(const std::string& script, int inherited_fd = -1) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return "";
    DetachedProcess process;
    process.words = {"/bin/sh", "-c", script};
    process.variables = {"ONLY=this", "PATH=/usr/bin:/bin"};
    process.stderr_fd = ends[1];
    process.inherited_fd = inherited_fd;
    EXPECT_EQ(startDetached(process), 0);
    close(ends[1]);
    std::string text;
    char piece[4096];
    for (ssize_t n; (n = read(ends[0], piece, sizeof piece)) != 0;) {
      if (n > 0) text.append(piece, static_cast<std::size_t>(n));
    }
    close(ends[0]);
    return text;
  }
};

std::atomic<int> child_signals{0};

TEST_F(DetachedProcessTest, IsInvisibleToWaitAndSignals) {
  signal(SIGCHLD, [](int) { ++child_signals; });
  std::atomic<bool> done{false};
  std::atomic<int> seen{0};
  // A job that reaps any child, like an init program.
  std::thread reaper([&] {
    while (!done) {
      if (waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD) ++seen;
    }
  });
  for (int i = 0; i < 50; ++i) EXPECT_EQ(run("echo here >&2"), "here\n");
  done = true;
  reaper.join();
  signal(SIGCHLD, SIG_DFL);
  EXPECT_EQ(seen, 0);
  EXPECT_EQ(child_signals, 0);
}

TEST_F(DetachedProcessTest, InheritsOnlyWhatItIsGiven) {
  const int open_one = open("/dev/null", O_RDONLY);  // without O_CLOEXEC
  setenv("LD_PRELOAD_OF_THE_TEST", "1", 1);
  const std::string output = run("{ ls /proc/self/fd; env; pwd; } >&2");
  close(open_one);
  EXPECT_THAT(output, HasSubstr("0\n1\n2\n"));
  EXPECT_THAT(output, HasSubstr("ONLY=this"));
  EXPECT_THAT(output, Not(HasSubstr("LD_PRELOAD")));
  EXPECT_THAT(output, HasSubstr("\n/\n"));
}

TEST_F(DetachedProcessTest, GetsThePassedDescriptorAsNumberThree) {
  const testing::TempDir dir;
  const std::string path = dir.path() + "/handed";
  const int fd = open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  run("echo hello >&3", fd);
  close(fd);
  EXPECT_EQ(testing::readFile(path), "hello\n");
}

TEST_F(DetachedProcessTest, SignalsToTheJobDoNotReachIt) {
  // It sends itself the signals of a terminal and a scheduler.
  EXPECT_EQ(
      run("for s in HUP INT TERM USR1; do kill -$s $$; done; echo on >&2"),
      "on\n");
  std::istringstream session(run("cut -d ' ' -f 6 /proc/$$/stat >&2"));
  pid_t its = 0;
  session >> its;
  EXPECT_NE(its, getsid(0));
  EXPECT_NE(its, 0);
}

TEST_F(DetachedProcessTest, KeepsTheCallersSignalMask) {
  sigset_t some, before, after;
  sigemptyset(&some);
  sigaddset(&some, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &some, nullptr);
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  run("true");
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int number = 1; number < NSIG; ++number) {
    EXPECT_EQ(sigismember(&before, number), sigismember(&after, number));
  }
  pthread_sigmask(SIG_UNBLOCK, &some, nullptr);
}

TEST_F(DetachedProcessTest, AMissingProgramIsAnError) {
  DetachedProcess process;
  process.words = {"/nowhere/tracectl"};
  EXPECT_EQ(startDetached(process), ENOENT);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG | __WALL), -1);
}

}  // namespace
}  // namespace traced
