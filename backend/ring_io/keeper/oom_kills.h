// OomKills counts the processes in our control group that the kernel killed
// because memory ran out. It decides whether a killed process was one of them.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace traced {

class OomKills {
 public:
  using Clock = std::chrono::steady_clock;

  // Uses the counter of this process's control group.
  OomKills();
  // Uses the counter in `path`.
  explicit OomKills(std::string path);

  // Updates the count from the counter.
  void poll(Clock::time_point now);
  // Returns whether the kernel killed a process for lack of memory in the last
  // seconds. Each kill is attributed to one process only.
  // Call once for each process that SIGKILL ended.
  bool claim(Clock::time_point now);

 private:
  std::optional<std::uint64_t> read() const;

  const std::string path_;
  std::optional<std::uint64_t> seen_;
  std::uint64_t unclaimed_ = 0;
  Clock::time_point last_;
};

}  // namespace traced
