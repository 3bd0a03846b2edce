#include "cli/process_activity.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"

namespace traced {
namespace {

// Of one core: less is what an idle interpreter and our own writer take.
constexpr double kBusyShare = 0.1;

std::string procPath(std::int64_t pid) { return absl::StrCat("/proc/", pid); }

// The fields of a stat file behind the name, which may hold anything.
std::istringstream statOf(const std::string& folder) {
  std::ifstream file(folder + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  return std::istringstream(name_end == std::string::npos
                                ? std::string()
                                : text.substr(name_end + 1));
}

std::optional<double> cpuSeconds(std::int64_t pid) {
  constexpr int kFieldsBetween = 10;  // from the state to the times
  std::istringstream stat = statOf(procPath(pid));
  std::string skipped;
  stat >> skipped;
  for (int i = 0; i < kFieldsBetween; ++i) stat >> skipped;
  double user = 0, system = 0;
  if (!(stat >> user >> system)) return std::nullopt;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

// One letter for each thread.
std::string threadStates(std::int64_t pid) {
  std::string states;
  std::error_code error;
  std::filesystem::directory_iterator thread(procPath(pid) + "/task", error);
  for (; !error && thread != std::filesystem::directory_iterator();
       thread.increment(error)) {
    std::string state;
    if (statOf(thread->path().string()) >> state) states += state[0];
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

std::optional<Activity> ProcessActivity::look(std::int64_t pid,
                                              const std::string& file) {
  const auto cpu_s = cpuSeconds(pid);
  if (!cpu_s) return std::nullopt;
  const auto now = std::chrono::steady_clock::now();
  const auto [place, is_new] = seen_.try_emplace(pid);
  Seen& seen = place->second;
  if (is_new) seen.is_the_one = hasMapped(pid, file);
  std::optional<Activity> activity;
  if (!is_new && seen.is_the_one) {
    const std::string states = threadStates(pid);
    activity.emplace();
    activity->cpu_s = *cpu_s - seen.cpu_s;
    activity->span_s = std::chrono::duration<double>(now - seen.at).count();
    activity->stopped =
        !states.empty() && states.find_first_not_of("Tt") == std::string::npos;
    activity->on_disk = states.find('D') != std::string::npos;
    activity->runnable = states.find('R') != std::string::npos;
  }
  seen.cpu_s = *cpu_s;
  seen.at = now;
  return activity;
}

bool ProcessActivity::isHidden(std::int64_t pid) const {
  const auto found = seen_.find(pid);
  return found == seen_.end() || !found->second.is_the_one;
}

bool processExists(std::int64_t pid) {
  std::error_code error;
  return std::filesystem::exists(procPath(pid), error);
}

}  // namespace traced
