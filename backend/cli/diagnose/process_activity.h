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

// What one look at a process found.
struct ProcessLook {
  // It cannot be seen: no process of its number has mapped its file. It may be
  // another user's, or in a container that numbers processes in its own way.
  bool hidden = false;
  // What it did since the look before; absent at the first.
  std::optional<Activity> activity;
};

class ProcessActivity {
 public:
  // Looks at the process of this number that has mapped `file`.
  ProcessLook look(std::int64_t pid, const std::string& file);

 private:
  struct Seen {
    bool is_the_one = false;
    double cpu_s = 0;
    std::chrono::steady_clock::time_point at;
  };

  std::map<std::int64_t, Seen> seen_;
};

}  // namespace traced
