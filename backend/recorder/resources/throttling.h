// Finds how long the cgroups of the process were held to their limits of
// processor time.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace traced {

// Not thread safe.
class Throttling {
 public:
  // Looks for the cgroups of the process. `proc` and `root` replace /proc/self
  // and /sys/fs/cgroup in tests.
  explicit Throttling(const std::string& proc = "/proc/self",
                      const std::string& root = "/sys/fs/cgroup");

  // Returns the time since the previous call, summed over processors: the
  // longest one of the process's cgroup and of those above it. Absent if none
  // can be read.
  std::optional<std::uint64_t> measure();

 private:
  struct Level {
    std::string file;
    // Since the cgroup was created.
    std::uint64_t total_ns = 0;
  };
  void addLevels(const std::string& mount, std::string path);

  std::vector<Level> levels_;
};

}  // namespace traced
