#include "recorder/standstill/thread_activity.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "base/utf8.h"
#include "recorder/standstill/small_file.h"

namespace traced {
namespace {

// A system call that may block for long. `uses_file`: its first argument is a
// file descriptor.
struct SystemCall {
  long number;
  const char* name;
  bool uses_file = false;
};

constexpr SystemCall kCalls[] = {
    {SYS_futex, "futex"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_nanosleep, "nanosleep"},
    {SYS_read, "read", true},
    {SYS_write, "write", true},
    {SYS_readv, "readv", true},
    {SYS_writev, "writev", true},
    {SYS_pread64, "pread64", true},
    {SYS_pwrite64, "pwrite64", true},
    {SYS_fsync, "fsync", true},
    {SYS_fdatasync, "fdatasync", true},
    {SYS_openat, "openat"},
    {SYS_close, "close", true},
    {SYS_ftruncate, "ftruncate", true},
    {SYS_fallocate, "fallocate", true},
    {SYS_flock, "flock", true},
    {SYS_fcntl, "fcntl", true},
    {SYS_ioctl, "ioctl", true},
    {SYS_recvfrom, "recvfrom", true},
    {SYS_recvmsg, "recvmsg", true},
    {SYS_sendto, "sendto", true},
    {SYS_sendmsg, "sendmsg", true},
    {SYS_connect, "connect", true},
    {SYS_accept4, "accept4", true},
    {SYS_ppoll, "ppoll"},
    {SYS_pselect6, "pselect6"},
    {SYS_epoll_pwait, "epoll_pwait"},
    {SYS_wait4, "wait4"},
    {SYS_waitid, "waitid"},
    {SYS_rt_sigtimedwait, "rt_sigtimedwait"},
    {SYS_msync, "msync"},
    {SYS_munmap, "munmap"},
    {SYS_madvise, "madvise"},
#ifdef SYS_poll  // only on older architectures
    {SYS_poll, "poll"},
    {SYS_select, "select"},
    {SYS_epoll_wait, "epoll_wait"},
    {SYS_open, "open"},
    {SYS_accept, "accept", true},
#endif
};

SmallFile fileOf(std::int64_t tid, const char* name) {
  return SmallFile(pathOf(tid, name).c_str());
}

// Returns what a file descriptor refers to, such as a path or "socket:[7]".
std::string targetOf(std::uint64_t descriptor) {
  constexpr std::size_t kMaxBytes = 256;
  char path[64];
  char target[kMaxBytes];
  std::snprintf(path, sizeof path, "/proc/self/fd/%" PRIu64, descriptor);
  const ssize_t bytes = readlink(path, target, sizeof target);
  return bytes <= 0 ? ""
                    : toValidUtf8({target, static_cast<std::size_t>(bytes)});
}

}  // namespace

std::string pathOf(std::int64_t tid, const char* file) {
  return "/proc/self/task/" + std::to_string(tid) + "/" + file;
}

char stateIn(const SmallFile& stat) {
  // The name of the thread may contain any character.
  const char* const name_end = std::strrchr(stat.text, ')');
  return name_end && name_end[1] == ' ' ? name_end[2] : '\0';
}

// See Documentation/scheduler/sched-stats.rst of Linux.
ThreadSchedule scheduleOf(std::int64_t tid) {
  const SmallFile file = fileOf(tid, "schedstat");
  std::uint64_t cpu_ns = 0;
  std::uint64_t delay_ns = 0;
  std::uint64_t runs = 0;
  if (std::sscanf(file.text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &cpu_ns,
                  &delay_ns, &runs) != 3) {
    return {};
  }
  return {cpu_ns, delay_ns, runs};
}

ThreadActivity activityOf(std::int64_t tid) {
  const char state = stateIn(fileOf(tid, "stat"));
  return {state, state == 0 ? ThreadSchedule() : scheduleOf(tid)};
}

bool hasSlept(const ThreadActivity& before, const ThreadActivity& after) {
  const auto sleeps = [](const ThreadActivity& activity) {
    return activity.state != 0 && std::strchr("SDTtI", activity.state);
  };
  return sleeps(before) && sleeps(after) &&
         before.schedule.runs.value_or(0) > 0 &&
         before.schedule.runs == after.schedule.runs &&
         before.schedule.cpu_ns == after.schedule.cpu_ns;
}

WaitingCall waitingCallOf(std::int64_t tid) {
  const SmallFile file = fileOf(tid, "syscall");
  long number = -1;
  std::uint64_t argument = 0;
  if (std::sscanf(file.text, "%ld %" SCNx64, &number, &argument) != 2 ||
      number < 0) {
    return {};
  }
  const SystemCall* const call = std::find_if(
      std::begin(kCalls), std::end(kCalls),
      [number](const SystemCall& c) { return c.number == number; });
  if (call == std::end(kCalls)) return {"call_" + std::to_string(number)};
  if (argument == 0 && std::strstr(call->name, "select")) {
    return {call->name + std::string(" timer")};
  }
  const std::string target = call->uses_file ? targetOf(argument) : "";
  return {target.empty() ? call->name : call->name + (" " + target),
          number == SYS_futex ? argument : 0};
}

std::optional<bool> isInCall(std::int64_t tid) {
  const SmallFile file = fileOf(tid, "syscall");
  long number = -1;
  // "running" if it has been woken up meanwhile.
  if (std::sscanf(file.text, "%ld", &number) != 1) return std::nullopt;
  return number >= 0;
}

}  // namespace traced
