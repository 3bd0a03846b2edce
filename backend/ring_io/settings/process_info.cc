#include "ring_io/settings/process_info.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <random>

namespace traced {

HostInfo readHostInfo() {
  HostInfo info;
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  info.host = name;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> info.boot_id;
  struct stat ns;
  if (stat("/proc/self/ns/time", &ns) == 0) info.time_namespace = ns.st_ino;
  if (stat("/proc/self/ns/pid", &ns) == 0) info.pid_namespace = ns.st_ino;
  info.pid = getpid();
  return info;
}

std::string nodeName(const std::string& given, const HostInfo& host) {
  if (!given.empty()) return given;
  return host.boot_id.empty() ? host.host : host.boot_id;
}

std::uint64_t randomStreamId() {
  std::random_device device;
  std::uint64_t id = 0;
  while (id == 0) id = std::uint64_t{device()} << 32 | device();
  return id;
}

}  // namespace traced
