#include "ring_io/keeper/oom_kills.h"

#include <unistd.h>

#include <fstream>
#include <utility>

namespace traced {
namespace {

// Maximum time from a kill by the kernel to the end of the process. Later
// SIGKILLs are attributed to something else, such as a launcher that ends the
// rest of the job.
constexpr std::chrono::seconds kMaxShutdown{5};

std::string firstReadable(std::initializer_list<std::string> paths) {
  for (const std::string& path : paths) {
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return "";
}

// Returns the path of the counter, for cgroup v2 ("0::/job") or v1
// ("4:memory:/job"). In a container, the path may be the host's. The
// container's own group is then at the root.
std::string counterPath() {
  const std::string root = "/sys/fs/cgroup";
  std::ifstream groups("/proc/self/cgroup");
  std::string line, path;
  while (path.empty() && std::getline(groups, line)) {
    const std::size_t memory = line.find(":memory:");
    if (memory != std::string::npos) {
      const std::string v1 = root + "/memory";
      path =
          firstReadable({v1 + line.substr(memory + 8) + "/memory.oom_control",
                         v1 + "/memory.oom_control"});
    } else if (line.starts_with("0::")) {
      path = firstReadable(
          {root + line.substr(3) + "/memory.events", root + "/memory.events"});
    }
  }
  return path;
}

}  // namespace

OomKills::OomKills() : OomKills(counterPath()) {}

OomKills::OomKills(std::string path)
    : path_(std::move(path)), seen_(read()), last_(Clock::time_point::min()) {}

std::optional<std::uint64_t> OomKills::read() const {
  std::ifstream file(path_);
  std::string name;
  std::uint64_t count = 0;
  while (file >> name >> count) {
    if (name == "oom_kill") return count;
  }
  return std::nullopt;
}

void OomKills::poll(Clock::time_point now) {
  const std::optional<std::uint64_t> count = read();
  if (!count) return;
  if (seen_ && *count > *seen_) {
    unclaimed_ += *count - *seen_;
    last_ = now;
  }
  seen_ = count;
}

bool OomKills::claim(Clock::time_point now) {
  poll(now);
  if (unclaimed_ == 0) return false;
  if (now - last_ > kMaxShutdown) {
    unclaimed_ = 0;
    return false;
  }
  --unclaimed_;
  return true;
}

}  // namespace traced
