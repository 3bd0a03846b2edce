// What a process of this host does, as the kernel tells it: whether it
// computes, sleeps, or is stopped. It is not asked, and not slowed down.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace traced {

struct Activity {
  // Processor time, and how long it was looked at.
  double cpu_s = 0;
  double span_s = 0;
  // All its threads are stopped by a signal.
  bool stopped = false;
  // A thread waits for a disk or a network file system.
  bool on_disk = false;
  // A thread computes, or would if it had a processor.
  bool runnable = false;

  // Whether it does something that may come to an end by itself.
  bool busy() const;
};

class ProcessActivity {
 public:
  // Looks at a process; absent where it cannot be seen, and the first time.
  std::optional<Activity> look(std::int64_t pid, const std::string& file);
  // Whether a process that was looked at could not be seen: none of this number
  // has mapped the file that was named with it. It may be another user's, or in
  // a container that numbers processes in its own way.
  bool isHidden(std::int64_t pid) const;

 private:
  struct Seen {
    bool is_the_one = false;
    double cpu_s = 0;
    std::chrono::steady_clock::time_point at;
  };

  std::map<std::int64_t, Seen> seen_;
};

}  // namespace traced
