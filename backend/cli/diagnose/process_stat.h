// What the kernel says of a process or a thread in its stat file.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace traced {

struct ProcessStat {
  // "R" runs, "S" sleeps, "D" waits for a disk, "T" and "t" are stopped, "Z"
  // and "X" are dead.
  char state = '?';
  // Processor time.
  double cpu_s = 0;
  // Since the boot, by this process's clock.
  std::int64_t started_ns = 0;
};

// Of a folder in /proc, such as that of a thread; absent when it is gone.
std::optional<ProcessStat> readStat(const std::string& folder);
std::optional<ProcessStat> readProcessStat(std::int64_t pid);

}  // namespace traced
