// ProcessWatch holds on to a process that is no child of ours, and tells how it
// ended.

#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>

#include "traced/v1/trace.pb.h"

namespace traced {

// The process, as a number of /proc, that holds the lock (flock) of a file;
// absent where the kernel does not tell.
std::optional<pid_t> lockOwner(dev_t device, ino_t inode);

// Whether what /proc calls a process is what we call it.
bool procIsOfOurNamespace();

class ProcessWatch {
 public:
  // nullptr where the kernel cannot do that, or there is no such process.
  static std::unique_ptr<ProcessWatch> open(pid_t pid);
  ~ProcessWatch();
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;

  pid_t pid() const { return pid_; }
  // Becomes readable (poll) when the process has ended.
  int fd() const { return fd_; }
  bool waitForEnd(std::chrono::milliseconds deadline) const;
  // What is known of the end: nothing is set where that is nothing.
  v1::ProcessEnd end() const;

 private:
  ProcessWatch(pid_t pid, int fd) : pid_(pid), fd_(fd) {}
  // As wait() has it.
  std::optional<int> status() const;

  const pid_t pid_;
  const int fd_;
};

}  // namespace traced
