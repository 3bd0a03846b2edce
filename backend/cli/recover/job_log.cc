#include "cli/recover/job_log.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <string_view>

#include "analysis/diagnosis/diagnosis.h"
#include "analysis/reading/stream_selection.h"
#include "phrasing/last_line.h"
#include "ring_io/sinks/trace_parts.h"

namespace traced {
namespace {

// Returns the name of an open file; "" if it is unknown. Reads only /proc:
// stat() of a log on a hung disk would block.
std::string openFileName(const std::string& process, int fd) {
  char name[PATH_MAX];
  const std::string link = "/proc/" + process + "/fd/" + std::to_string(fd);
  const ssize_t bytes = readlink(link.c_str(), name, sizeof name);
  return bytes > 0 ? std::string(name, static_cast<std::size_t>(bytes)) : "";
}

}  // namespace

JobLog::JobLog() : name_(openFileName("self", STDERR_FILENO)) {}

bool JobLog::isHeldBy(pid_t process) const {
  const std::string number = std::to_string(process);
  if (access(("/proc/" + number + "/fd").c_str(), X_OK) != 0) return true;
  return openFileName(number, STDOUT_FILENO) == name_ ||
         openFileName(number, STDERR_FILENO) == name_;
}

void JobLog::release() {
  if (name_.empty()) return;
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing >= 0) {
    dup2(nothing, STDERR_FILENO);
    close(nothing);
  } else {
    close(STDERR_FILENO);
  }
  name_.clear();
}

namespace {

// Compressed bytes read from each stream: some hundred thousand operations.
constexpr std::uint64_t kEndBytes = 4 << 20;

// Returns true for verdicts that explain an end. The others concern speed.
bool explainsEnd(const JobVerdict& verdict) {
  return traitsOf(verdict.kind).explains_failures &&
         verdict.finding != Confidence::kUndecided;
}

}  // namespace

std::string verdictLine(const JobEnd& job, const std::string& title) {
  std::vector<std::string> paths;
  for (const std::string& part_0 : job.traces) {
    for (const TracePart& part : existingParts(part_0)) {
      paths.push_back(part.path);
    }
  }
  Result<TraceSet> set = openTraceSet(paths);
  if (!set) return "";
  keepLatest(*set, kEndBytes);
  DiagnosisOptions options;
  options.replay = false;  // the keeper must stay small
  const Diagnosis diagnosis = diagnose(*set, options);
  if (diagnosis.verdicts.empty()) return "";
  const JobVerdict& first = diagnosis.verdicts.front();
  if (!explainsEnd(first)) return "";
  return verdictLine(diagnosis.job, first, title);
}

}  // namespace traced
