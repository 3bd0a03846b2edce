#include "ring_io/support/process_watch.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "base/clock.h"

namespace traced {
namespace {

// Linux 6.15: information about a process that its parent has reaped.
struct PidfdInfo {
  std::uint64_t mask;
  std::uint64_t cgroup;
  std::uint32_t ids[11];
  std::int32_t exit_status;
};
static_assert(sizeof(PidfdInfo) == 64);
constexpr std::uint64_t kInfoExit = 1 << 3;
constexpr unsigned long kGetInfo = _IOWR(0xFF, 11, PidfdInfo);

std::optional<int> statusOfReaped(int pidfd) {
  PidfdInfo info = {};
  info.mask = kInfoExit;
  if (ioctl(pidfd, kGetInfo, &info) != 0) return std::nullopt;
  if ((info.mask & kInfoExit) == 0) return std::nullopt;
  return info.exit_status;
}

// Returns the exit status of a zombie, the last field of /proc/PID/stat.
std::optional<int> statusOfZombie(pid_t pid) {
  constexpr int kFieldsBetween = 48;
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  // The process name before it may contain any character.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  std::string state, skipped;
  fields >> state;
  for (int i = 0; i < kFieldsBetween; ++i) fields >> skipped;
  int status = 0;
  if (!(fields >> status) || state != "Z") return std::nullopt;
  return status;
}

bool isUnreaped(int pidfd) {
  return syscall(SYS_pidfd_send_signal, pidfd, 0, nullptr, 0) == 0;
}

}  // namespace

std::optional<pid_t> lockOwner(dev_t device, ino_t inode) {
  std::ifstream locks("/proc/locks");
  std::string line;
  while (std::getline(locks, line)) {
    long pid = 0;
    unsigned int major_id = 0, minor_id = 0;
    std::uint64_t of = 0;
    const int found =
        std::sscanf(line.c_str(), "%*s FLOCK %*s WRITE %ld %x:%x:%" SCNu64,
                    &pid, &major_id, &minor_id, &of);
    if (found == 4 && of == inode && makedev(major_id, minor_id) == device) {
      return pid > 0 ? std::optional(static_cast<pid_t>(pid)) : std::nullopt;
    }
  }
  return std::nullopt;
}

bool procIsOfOurNamespace() {
  char self[32] = "";
  if (readlink("/proc/self", self, sizeof self - 1) <= 0) return false;
  return std::to_string(getpid()) == self;
}

std::unique_ptr<ProcessWatch> ProcessWatch::open(pid_t pid) {
  const long fd = syscall(SYS_pidfd_open, pid, 0);
  if (fd < 0) return nullptr;
  return std::unique_ptr<ProcessWatch>(
      new ProcessWatch(pid, static_cast<int>(fd)));
}

ProcessWatch::~ProcessWatch() { close(fd_); }

bool ProcessWatch::waitForEnd(std::chrono::milliseconds timeout) const {
  pollfd polled{fd_, POLLIN, 0};
  return poll(&polled, 1, static_cast<int>(timeout.count())) == 1;
}

std::optional<int> ProcessWatch::status() const {
  const std::optional<int> status = statusOfZombie(pid_);
  // Otherwise the pid may belong to another process by now.
  if (status && isUnreaped(fd_)) return status;
  return statusOfReaped(fd_);
}

v1::ProcessEnd ProcessWatch::end() const {
  v1::ProcessEnd end;
  const std::optional<int> status = this->status();
  if (!status) return end;
  if (WIFSIGNALED(*status)) {
    end.set_signal(static_cast<std::uint32_t>(WTERMSIG(*status)));
  } else {
    end.set_exit_code(static_cast<std::uint32_t>(WEXITSTATUS(*status)));
  }
  end.set_seen_by(v1::PROCESS_END_OBSERVER_KEEPER);
  end.set_seen_ns(readClocks().monotonic_ns);
  return end;
}

}  // namespace traced
