#include "cli/diagnose/process_life.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <limits>
#include <optional>

#include "cli/diagnose/process_stat.h"

namespace traced {
namespace {

// The kernel says since when a process runs in hundredths of a second.
constexpr std::int64_t kStartSlackNs = 1'000'000'000;

bool isSeenFrom(const HostInfo& here, const v1::Header& header) {
  return !here.boot_id.empty() && header.boot_id() == here.boot_id &&
         here.pid_namespace != 0 &&
         header.pid_namespace() == here.pid_namespace;
}

bool existsNow(std::int64_t pid) {
  if (pid <= 0 || pid > std::numeric_limits<pid_t>::max()) return false;
  return kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM;
}

// Whether the process of this number began after the recording did: the number
// was given to another one. Only where both read one clock.
bool isAnother(const ProcessStat& stat, const v1::Header& header,
               const HostInfo& here) {
  const std::int64_t recorded_ns = header.started().boottime_ns();
  return recorded_ns != 0 && header.time_namespace() == here.time_namespace &&
         stat.started_ns > recorded_ns + kStartSlackNs;
}

}  // namespace

ProcessLife lifeOf(const v1::Header& header, const HostInfo& here) {
  if (!isSeenFrom(here, header)) return ProcessLife::kUnseen;
  if (!existsNow(header.pid())) return ProcessLife::kEnded;
  const std::optional<ProcessStat> stat = readProcessStat(header.pid());
  // Hidden from this user.
  if (!stat) return ProcessLife::kRuns;
  const bool dead = stat->state == 'Z' || stat->state == 'X';
  return dead || isAnother(*stat, header, here) ? ProcessLife::kEnded
                                                : ProcessLife::kRuns;
}

}  // namespace traced
