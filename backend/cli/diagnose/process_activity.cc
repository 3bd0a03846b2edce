#include "cli/diagnose/process_activity.h"

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "cli/diagnose/process_stat.h"

namespace traced {
namespace {

// Of one core: less is what an idle interpreter and our own writer take.
constexpr double kBusyShare = 0.1;

std::string procPath(std::int64_t pid) { return absl::StrCat("/proc/", pid); }

// One letter for each thread.
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

ProcessLook ProcessActivity::look(std::int64_t pid, const std::string& file) {
  const auto [place, is_new] = seen_.try_emplace(pid);
  Seen& seen = place->second;
  if (is_new) seen.is_the_one = hasMapped(pid, file);
  if (!seen.is_the_one) return {.hidden = true, .activity = {}};
  const std::optional<ProcessStat> stat = readProcessStat(pid);
  if (!stat) return {};
  const auto now = std::chrono::steady_clock::now();
  ProcessLook look;
  if (!is_new) {
    const std::string states = threadStates(pid);
    Activity& activity = look.activity.emplace();
    activity.cpu_s = stat->cpu_s - seen.cpu_s;
    activity.span_s = std::chrono::duration<double>(now - seen.at).count();
    activity.stopped =
        !states.empty() && states.find_first_not_of("Tt") == std::string::npos;
    activity.on_disk = states.find('D') != std::string::npos;
    activity.runnable = states.find('R') != std::string::npos;
  }
  seen.cpu_s = stat->cpu_s;
  seen.at = now;
  return look;
}

}  // namespace traced
