// Tests that messages reach stderr whole, and that no kind of stderr harms the
// process.

#include "base/log_message.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <string>

#include "support/temp_dir.h"

namespace traced {
namespace {

constexpr unsigned kDeadlineS = 60;

// Returns the exit status of a process that runs `program` with `fd` as stderr
// and with default signal handlers.
int statusOf(int fd, const std::function<void()>& program) {
  const pid_t child = fork();
  if (child == 0) {
    for (const int number : {SIGPIPE, SIGXFSZ, SIGALRM}) {
      signal(number, SIG_DFL);
    }
    alarm(kDeadlineS);  // kills a child that blocks
    dup2(fd, STDERR_FILENO);
    program();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

void logOften() {
  for (int i = 0; i < 5'000; ++i) logMessage(std::string(400, 'x'));
}

struct Ends {
  int reader = -1;
  int writer = -1;
  ~Ends() {
    close(reader);
    close(writer);
  }
};

Ends makePipe() {
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  return {ends[0], ends[1]};
}

std::string readSome(int fd) {
  std::string text(65536, '\0');
  const ssize_t bytes = read(fd, text.data(), text.size());
  text.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  return text;
}

TEST(LogMessageTest, PartsFormOneLine) {
  const Ends pipe = makePipe();
  const auto program = [] {
    logMessage({"cannot write to ", "a\nb", ": full"});
  };
  EXPECT_EQ(statusOf(pipe.writer, program), 0);
  EXPECT_EQ(readSome(pipe.reader), "traced: cannot write to a?b: full\n");
}

TEST(LogMessageTest, TruncatesLongMessages) {
  const Ends pipe = makePipe();
  const std::string text(2 * kMaxMessageBytes, 'x');
  EXPECT_EQ(statusOf(pipe.writer, [&] { logMessage({text, text}); }), 0);
  const std::string line = readSome(pipe.reader);
  EXPECT_EQ(line.size(), kMaxMessageBytes);
  EXPECT_EQ(line.back(), '\n');
}

TEST(LogMessageTest, DoesNotWaitForAnUnreadPipeNorChangesIt) {
  const Ends pipe = makePipe();
  EXPECT_EQ(statusOf(pipe.writer, logOften), 0);
  EXPECT_EQ(fcntl(pipe.writer, F_GETFL) & O_NONBLOCK, 0);
  EXPECT_TRUE(readSome(pipe.reader).starts_with("traced: xxx"));
}

TEST(LogMessageTest, DoesNotWaitForAPipeWithoutProc) {
  const Ends pipe = makePipe();
  const auto program = [] {
    const rlimit none = {3, 3};  // so that nothing more can be opened
    setrlimit(RLIMIT_NOFILE, &none);
    logOften();
  };
  EXPECT_EQ(statusOf(pipe.writer, program), 0);
  EXPECT_TRUE(readSome(pipe.reader).starts_with("traced: xxx"));
}

TEST(LogMessageTest, DoesNotWaitForAnUnreadSocket) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const Ends sockets = {ends[0], ends[1]};
  EXPECT_EQ(statusOf(sockets.writer, logOften), 0);
  EXPECT_TRUE(readSome(sockets.reader).starts_with("traced: xxx"));
}

TEST(LogMessageTest, DoesNotWaitForAnUnreadTerminal) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_EQ(grantpt(terminal), 0);
  ASSERT_EQ(unlockpt(terminal), 0);
  const Ends ends = {terminal, open(ptsname(terminal), O_RDWR | O_NOCTTY)};
  EXPECT_EQ(statusOf(ends.writer, logOften), 0);
  EXPECT_TRUE(readSome(ends.reader).starts_with("traced: xxx"));
}

TEST(LogMessageTest, AClosedReaderRaisesNoSignal) {
  Ends pipe = makePipe();
  close(pipe.reader);
  pipe.reader = -1;
  EXPECT_EQ(statusOf(pipe.writer, logOften), 0);
}

TEST(LogMessageTest, AFileAtItsSizeLimitRaisesNoSignal) {
  const testing::TempDir folder;
  const std::string path = folder.path() + "/log";
  const int file = open(path.c_str(), O_CREAT | O_RDWR | O_APPEND, 0600);
  const auto program = [] {
    const rlimit little = {1000, 1000};
    setrlimit(RLIMIT_FSIZE, &little);
    logOften();
  };
  EXPECT_EQ(statusOf(file, program), 0);
  close(file);
}

TEST(LogMessageTest, ASignalThatTheJobHasPendingStaysPending) {
  Ends pipe = makePipe();
  close(pipe.reader);
  pipe.reader = -1;
  const auto program = [] {
    sigset_t pipe_only;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_only, nullptr);
    raise(SIGPIPE);
    logMessage("words");
    pthread_sigmask(SIG_UNBLOCK, &pipe_only, nullptr);
  };
  const int status = statusOf(pipe.writer, program);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGPIPE);
}

TEST(LogMessageTest, WithoutStderrPrintsNothingAndKeepsErrno) {
  const auto program = [] {
    close(STDERR_FILENO);
    errno = ENOSPC;
    logMessage("words");
    if (errno != ENOSPC) _exit(1);
  };
  EXPECT_EQ(statusOf(STDERR_FILENO, program), 0);
}

TEST(LogMessageTest, DoesNotWriteToAFileThatReusesStderrsDescriptor) {
  const Ends pipe = makePipe();
  const auto program = [] {
    forgetStderr();
    logMessage("words");
  };
  EXPECT_EQ(statusOf(pipe.writer, program), 0);
  EXPECT_EQ(fcntl(pipe.reader, F_SETFL, O_NONBLOCK), 0);
  EXPECT_EQ(readSome(pipe.reader), "");
}

}  // namespace
}  // namespace traced
