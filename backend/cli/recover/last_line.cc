#include "cli/recover/last_line.h"

#include "analysis/diagnosis/diagnosis.h"
#include "analysis/reading/stream_window.h"
#include "phrasing/last_line.h"
#include "ring_io/sinks/trace_parts.h"

namespace traced {
namespace {

// Compressed, of each stream: some hundred thousand operations.
constexpr std::uint64_t kEndBytes = 4 << 20;

// What explains an end; the rest is about how fast a job was.
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
  const Diagnosis diagnosis = diagnose(*set, {});
  if (diagnosis.verdicts.empty()) return "";
  const JobVerdict& first = diagnosis.verdicts.front();
  if (!explainsEnd(first)) return "";
  return verdictLine(diagnosis.job, first, title);
}

}  // namespace traced
