#include "cli/recover/keeper_child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <utility>

namespace traced {
namespace {

// Bytes that a pipe accepts without a reader.
constexpr std::size_t kMaxAnswer = 4096;

void leaveDescriptors(int but, int kept) {
  const int nothing = open("/dev/null", O_RDWR);
  for (const int fd : {0, 1, 2}) dup2(nothing, fd);
  dup2(but, 3);
  // The keeper has few descriptors, so this bound suffices.
  for (int fd = 4; fd < 1024; ++fd) {
    if (fd != kept) close(fd);
  }
}

// Makes this child the OOM killer's first choice.
void offerToOomKiller() { std::ofstream("/proc/self/oom_score_adj") << 1000; }

[[noreturn]] void work(const KeeperChild::Work& work, int fd, int kept) {
  leaveDescriptors(fd, kept);
  offerToOomKiller();
  std::string answer;
  try {
    answer = work();
  } catch (...) {
    _exit(1);
  }
  answer.resize(std::min(answer.size(), kMaxAnswer));
  _exit(write(3, answer.data(), answer.size()) < 0 ? 1 : 0);
}

}  // namespace

std::optional<KeeperChild> KeeperChild::start(const Work& what, int kept) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const pid_t pid = fork();
  if (pid == 0) work(what, ends[1], kept);
  close(ends[1]);
  if (pid > 0) return KeeperChild(pid, ends[0]);
  close(ends[0]);
  return std::nullopt;
}

KeeperChild::KeeperChild(KeeperChild&& other) noexcept
    : pid_(other.pid_), fd_(std::exchange(other.fd_, -1)) {}

KeeperChild& KeeperChild::operator=(KeeperChild&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(fd_, other.fd_);
  return *this;
}

KeeperChild::~KeeperChild() {
  if (fd_ >= 0) close(fd_);
}

bool KeeperChild::hasEnded() {
  const pid_t ended = waitpid(pid_, nullptr, WNOHANG);
  return ended == pid_ || (ended < 0 && errno == ECHILD);
}

std::string KeeperChild::answer() const {
  std::string answer(kMaxAnswer, '\0');
  const ssize_t bytes = read(fd_, answer.data(), answer.size());
  answer.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  return answer;
}

void KeeperChild::kill() const { ::kill(pid_, SIGKILL); }

}  // namespace traced
