// ProcessWatch holds a handle of a process that is not our child, and reports
// how it ended.

#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>

#include "traced/v1/trace.pb.h"

namespace traced {

// Returns the pid (as in /proc) of the process that holds the lock (flock) of a
// file. Returns nullopt if the kernel does not report it.
std::optional<pid_t> lockOwner(dev_t device, ino_t inode);

// Returns whether pids in /proc are those of our own pid namespace.
bool procIsOfOurNamespace();

class ProcessWatch {
 public:
  // Returns nullptr if the kernel lacks pidfds or the process does not exist.
  static std::unique_ptr<ProcessWatch> open(pid_t pid);
  ~ProcessWatch();
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;

  pid_t pid() const { return pid_; }
  // Becomes readable (poll) when the process has ended.
  int fd() const { return fd_; }
  // Blocks until the process ends, for at most `deadline`. Returns whether it
  // ended.
  bool waitForEnd(std::chrono::milliseconds timeout) const;
  // Returns what is known about the end. No field is set if that is unknown.
  v1::ProcessEnd end() const;

 private:
  ProcessWatch(pid_t pid, int fd) : pid_(pid), fd_(fd) {}
  // Returns the status in the format of wait().
  std::optional<int> status() const;

  const pid_t pid_;
  const int fd_;
};

}  // namespace traced
