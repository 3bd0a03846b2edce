// What the kernel knows about a thread of this process, from /proc.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace traced {

struct ThreadActivity {
  // The state letter of proc(5), such as 'S' for sleeping. 0: the thread has
  // ended, or its state is unknown.
  char state = 0;
  // Processor time since the thread began, and how often it was given a
  // processor. Absent if the kernel does not count them.
  std::optional<std::uint64_t> cpu_ns;
  std::optional<std::uint64_t> runs;
};

// Reads the activity of a thread of this process.
ThreadActivity activityOf(std::int64_t tid);

// Returns whether a thread whose activity was read twice did not run between.
bool hasSlept(const ThreadActivity& before, const ThreadActivity& after);

struct WaitingCall {
  // The system call that a thread waits in and the file that the call uses,
  // such as "write /scratch/model.pt". "": it waits in none, or the kernel does
  // not reveal it.
  std::string text;
  // The address at which it waits (futex), otherwise 0.
  std::uint64_t futex = 0;
};
WaitingCall waitingCallOf(std::int64_t tid);

}  // namespace traced
