#include "memory_cgroup.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace traced::testing {
namespace {

namespace fs = std::filesystem;

struct Version {
  const char* root;
  const char* limit;
  const char* swap_limit;  // of memory and swap together in the first version
  bool swap_is_extra;
  const char* events;
};
constexpr Version kVersions[] = {
    {"/sys/fs/cgroup/memory", "memory.limit_in_bytes",
     "memory.memsw.limit_in_bytes", false, "memory.oom_control"},
    {"/sys/fs/cgroup", "memory.max", "memory.swap.max", true, "memory.events"}};

bool write(const std::string& path, std::uint64_t value) {
  // Does not create a file: without it, the folder is no control group.
  std::ofstream file(path, std::ios::in | std::ios::out);
  file << value;
  return file.flush().good();
}

}  // namespace

std::unique_ptr<MemoryCgroup> MemoryCgroup::make(std::uint64_t bytes,
                                                 std::string& why) {
  why = "no memory cgroup can be made below /sys/fs/cgroup";
  for (const Version& version : kVersions) {
    const std::string path =
        std::string(version.root) + "/traced-test-" + std::to_string(getpid());
    std::error_code error;
    if (!fs::create_directory(path, error) || error) continue;
    std::unique_ptr<MemoryCgroup> group(
        new MemoryCgroup(path, path + "/" + version.events));
    if (!write(path + "/" + version.limit, bytes)) continue;
    // May fail without swap accounting, but then a machine rarely has swap.
    write(path + "/" + version.swap_limit, version.swap_is_extra ? 0 : bytes);
    why.clear();
    return group;
  }
  return nullptr;
}

MemoryCgroup::~MemoryCgroup() { rmdir(path_.c_str()); }

bool MemoryCgroup::enter() const {
  return write(path_ + "/cgroup.procs", static_cast<std::uint64_t>(getpid()));
}

std::uint64_t MemoryCgroup::kills() const {
  std::ifstream file(events_);
  std::string name;
  for (std::uint64_t value; file >> name >> value;) {
    if (name == "oom_kill") return value;
  }
  return 0;
}

}  // namespace traced::testing
