// TriggerFile detects that an operator touched a file to signal a running job.
// The file may contain a request (control/control_request.h). Owned by the
// writer thread.

#pragma once

#include <sys/types.h>

#include <chrono>
#include <ctime>
#include <string>

namespace traced {

class TriggerFile {
 public:
  // `path` "" means no trigger file. Only changes after construction count.
  explicit TriggerFile(std::string path);

  using Time = std::chrono::steady_clock::time_point;

  // Returns whether the file was created or changed since the previous check.
  // Checks the file at most once per kInterval.
  bool touched(Time now = std::chrono::steady_clock::now());

  // Returns the path, "" if no trigger file is configured.
  const std::string& path() const { return path_; }

  static constexpr std::chrono::milliseconds kInterval{500};

 private:
  struct State {
    bool there = false;
    ino_t file = 0;
    timespec changed{};
    bool operator==(const State& other) const;
  };
  State readState() const;

  const std::string path_;
  State last_;
  Time polled_;
};

}  // namespace traced
