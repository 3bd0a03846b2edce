#include "cli/diagnose/process_activity.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "absl/strings/str_cat.h"

namespace traced {

std::optional<ProcessStat> readStat(const std::string& folder) {
  constexpr int kFieldsToTimes = 10;  // from the state
  constexpr int kFieldsToStart = 6;   // from the times
  std::ifstream file(folder + "/stat");
  std::string text;
  std::getline(file, text);
  // The process name may contain any character, including ')'.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  const auto skip = [&fields](int count) {
    std::string skipped;
    while (count-- > 0) fields >> skipped;
  };
  ProcessStat stat;
  double user = 0, system = 0, start = 0;
  fields >> stat.state;
  skip(kFieldsToTimes);
  fields >> user >> system;
  skip(kFieldsToStart);
  if (!(fields >> start)) return std::nullopt;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  stat.cpu_s = (user + system) / ticks;
  stat.started_ns = static_cast<std::int64_t>(start / ticks * 1e9);
  return stat;
}

std::optional<ProcessStat> readProcessStat(std::int64_t pid) {
  return readStat(absl::StrCat("/proc/", pid));
}

namespace {

// Tolerance for start times, which the kernel reports in hundredths of a
// second.
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

// Returns true if the PID was reused: the process started after the recording
// did. Valid only if both use the same clock.
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
  // The process exists, but this user cannot read its state.
  if (!stat) return ProcessLife::kRuns;
  const bool dead = stat->state == 'Z' || stat->state == 'X';
  return dead || isAnother(*stat, header, here) ? ProcessLife::kEnded
                                                : ProcessLife::kRuns;
}

namespace {

// Share of one core that counts as busy. An idle interpreter and the recorder's
// writer stay below it.
constexpr double kBusyShare = 0.1;

std::string procPath(std::int64_t pid) { return absl::StrCat("/proc/", pid); }

// Returns one state letter per thread.
std::string threadStates(std::int64_t pid) {
  std::string states;
  std::error_code error;
  std::filesystem::directory_iterator thread(procPath(pid) + "/task", error);
  for (; !error && thread != std::filesystem::directory_iterator();
       thread.increment(error)) {
    if (const auto stat = readStat(thread->path().string())) {
      states += stat->state;
    }
  }
  return states;
}

bool hasMapped(std::int64_t pid, const std::string& file) {
  std::ifstream maps(procPath(pid) + "/maps");
  const std::string name = std::filesystem::path(file).filename().string();
  std::string line;
  while (std::getline(maps, line)) {
    if (line.find(name) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

bool Activity::busy() const {
  return !stopped && (on_disk || runnable || cpu_s >= kBusyShare * span_s);
}

ProcessSample ProcessActivity::sample(std::int64_t pid,
                                      const std::string& file) {
  const auto [place, is_new] = seen_.try_emplace(pid);
  Seen& seen = place->second;
  if (is_new) seen.is_the_one = hasMapped(pid, file);
  if (!seen.is_the_one) return {.hidden = true, .activity = {}};
  const std::optional<ProcessStat> stat = readProcessStat(pid);
  if (!stat) return {};
  const auto now = std::chrono::steady_clock::now();
  ProcessSample sample;
  if (!is_new) {
    const std::string states = threadStates(pid);
    Activity& activity = sample.activity.emplace();
    activity.cpu_s = stat->cpu_s - seen.cpu_s;
    activity.span_s = std::chrono::duration<double>(now - seen.at).count();
    activity.stopped =
        !states.empty() && states.find_first_not_of("Tt") == std::string::npos;
    activity.on_disk = states.find('D') != std::string::npos;
    activity.runnable = states.find('R') != std::string::npos;
  }
  seen.cpu_s = stat->cpu_s;
  seen.at = now;
  return sample;
}

namespace {

// Classifies one sampled interval of a process.
ProcessNow::Doing doingOf(const Activity& activity) {
  using Doing = ProcessNow::Doing;
  if (activity.stopped) return Doing::kStopped;
  if (activity.on_disk) return Doing::kOnDisk;
  return activity.busy() ? Doing::kComputes : Doing::kSleeps;
}

}  // namespace

void RankProcesses::sample(const std::vector<RingReading>& rings) {
  seen_.clear();
  for (const RingReading& ring : rings) {
    if (!ring.alive) continue;
    seen_[ring.rank] = {ring.pid, processes_.sample(ring.pid, ring.path)};
  }
}

bool RankProcesses::mayJoin(std::uint32_t rank) const {
  const auto found = seen_.find(rank);
  if (found == seen_.end() || found->second.sample.hidden) return false;
  const auto& activity = found->second.sample.activity;
  return !activity || activity->busy();
}

std::optional<ProcessNow> RankProcesses::now(std::uint32_t rank) const {
  const auto found = seen_.find(rank);
  if (found == seen_.end()) return std::nullopt;
  const auto& [pid, sample] = found->second;
  if (sample.hidden) return ProcessNow{rank};
  if (!sample.activity) return std::nullopt;
  return ProcessNow{rank, doingOf(*sample.activity), pid,
                    sample.activity->cpu_s, sample.activity->span_s};
}

}  // namespace traced
