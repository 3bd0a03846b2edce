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

  // Updates the count from the counter. Call it often: a kill is dated by the
  // poll that finds it.
  void poll(Clock::time_point now);
  // Polls. Returns whether an unclaimed kill was counted in the last 5 s, and
  // claims it. Call once for each process that SIGKILL ended.
  bool claim(Clock::time_point now);

 private:
  std::optional<std::uint64_t> read() const;

  const std::string path_;
  std::optional<std::uint64_t> seen_;
  std::uint64_t unclaimed_ = 0;
  Clock::time_point last_;
};

}  // namespace traced
