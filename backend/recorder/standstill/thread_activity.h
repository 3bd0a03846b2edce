// What the kernel knows about a thread of this process, from /proc.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "recorder/standstill/small_file.h"

namespace traced {

// Since the thread began: its processor time, how long it was runnable without
// a processor, and how often it was given one. Absent if the kernel does not
// count them.
struct ThreadSchedule {
  std::optional<std::uint64_t> cpu_ns;
  std::optional<std::uint64_t> delay_ns;
  std::optional<std::uint64_t> runs;
};

struct ThreadActivity {
  // The state letter of proc(5), such as 'S' for sleeping. 0: the thread has
  // ended, or its state is unknown.
  char state = 0;
  ThreadSchedule schedule;
};

// Returns the path of a file about a thread of this process.
std::string pathOf(std::int64_t tid, const char* file);
// Returns the state in a thread's file "stat".
char stateIn(const SmallFile& stat);

// Return what the kernel knows about a thread of this process.
ThreadSchedule scheduleOf(std::int64_t tid);
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

// Returns whether a sleeping thread is in a system call; otherwise it sleeps in
// a page fault. Absent if the kernel does not reveal it.
std::optional<bool> isInCall(std::int64_t tid);

}  // namespace traced
