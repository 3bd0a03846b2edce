#include "recorder/resources/throttling.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "recorder/resources/number_after.h"
#include "recorder/standstill/small_file.h"

namespace traced {
namespace {

constexpr std::size_t kMaxLevels = 8;
constexpr std::uint64_t kNsPerUs = 1'000;

// Returns the throttled time of a cpu.stat: of cgroup v2 in us, of v1 in ns.
std::optional<std::uint64_t> throttledNs(const std::string& file) {
  const SmallFile stat(file.c_str());
  if (const auto us = numberAfter(stat, "\nthrottled_usec ")) {
    return *us * kNsPerUs;
  }
  return numberAfter(stat, "\nthrottled_time ");
}

}  // namespace

// Adds a cgroup and those above it. In a container, the path may be that of the
// host, and only the mount itself is the cgroup.
void Throttling::addLevels(const std::string& mount, std::string path) {
  while (levels_.size() < kMaxLevels) {
    const std::string file = mount + path + "/cpu.stat";
    if (const auto ns = throttledNs(file)) levels_.push_back({file, *ns});
    if (path.empty()) return;
    path.resize(path.rfind('/'));
  }
}

// A line is ID:CONTROLLERS:PATH, with no controllers for v2; cgroups(7).
Throttling::Throttling(const std::string& proc, const std::string& root) {
  std::ifstream lines(proc + "/cgroup");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    if (path.empty() || path[0] != '/') continue;
    if (path == "/") path.clear();
    const bool limits_cpu =
        ("," + controllers + ",").find(",cpu,") != std::string::npos;
    if (controllers.empty()) addLevels(root, path);
    if (limits_cpu) addLevels(root + "/" + controllers, path);
  }
}

std::optional<std::uint64_t> Throttling::measure() {
  std::optional<std::uint64_t> longest;
  for (Level& level : levels_) {
    const auto total_ns = throttledNs(level.file);
    if (!total_ns) continue;
    const std::uint64_t before_ns = std::exchange(level.total_ns, *total_ns);
    const std::uint64_t ns = *total_ns - std::min(*total_ns, before_ns);
    longest = std::max(longest.value_or(0), ns);
  }
  return longest;
}

}  // namespace traced
