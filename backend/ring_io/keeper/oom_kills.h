// OomKills counts the processes of our control group that the kernel killed
// because memory had run out, for who wants to know whether one of them was
// just that.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace traced {

class OomKills {
 public:
  using Clock = std::chrono::steady_clock;

  // Looks where the kernel tells of the control group of this process.
  OomKills();
  // Reads the file that tells.
  explicit OomKills(std::string path);

  // Reads the counter.
  void poll(Clock::time_point now);
  // Whether a process that was just killed was so by the kernel: there was such
  // a kill in the last seconds that no process before it stands for. To be
  // asked once for each that SIGKILL has ended.
  bool claim(Clock::time_point now);

 private:
  std::optional<std::uint64_t> read() const;

  const std::string path_;
  std::optional<std::uint64_t> seen_;
  std::uint64_t unclaimed_ = 0;
  Clock::time_point last_;
};

}  // namespace traced
