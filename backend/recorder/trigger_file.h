// TriggerFile is a file that an operator touches to be heard by a running job,
// and writes a request into (control/control_request.h). Owned by the writer
// thread.

#pragma once

#include <sys/types.h>

#include <chrono>
#include <ctime>
#include <string>

namespace traced {

class TriggerFile {
 public:
  // "": there is none. What the file is like now is no touch.
  explicit TriggerFile(std::string path);

  using Time = std::chrono::steady_clock::time_point;

  // Whether it was made or changed since it was last looked at. Looks at it
  // once every kInterval, however often it is asked.
  bool touched(Time now = std::chrono::steady_clock::now());

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
