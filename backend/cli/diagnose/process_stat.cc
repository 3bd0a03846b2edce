#include "cli/diagnose/process_stat.h"

#include <unistd.h>

#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"

namespace traced {

std::optional<ProcessStat> readStat(const std::string& folder) {
  constexpr int kFieldsToTimes = 10;  // from the state
  constexpr int kFieldsToStart = 6;   // from the times
  std::ifstream file(folder + "/stat");
  std::string text;
  std::getline(file, text);
  // The name may hold anything.
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

}  // namespace traced
