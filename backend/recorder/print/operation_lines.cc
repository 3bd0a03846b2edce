#include "recorder/print/operation_lines.h"

#include <utility>

#include "recorder/print/printed_calls.h"

namespace traced {
namespace {

// Maximum age of the clock readings.
constexpr std::int64_t kClockIntervalNs = 1'000'000'000;

}  // namespace

OperationLines::OperationLines(PrintMode mode, const ChunkBuilder& known,
                               const v1::Header& header, SourceLine source_line)
    : mode_(mode),
      known_(known),
      header_(header),
      source_line_(std::move(source_line)),
      clocks_(readClocks()) {}

std::string OperationLines::lineOf(const Ring::Record& record) {
  // A redefinition may change the group's name.
  if (record.kind == RecordKind::kDefineGroup) calls_.clear();
  if (record.kind != RecordKind::kIssue) return "";
  const auto issue = record.as<IssueRecord>();
  const IssuedCall& call = knownCall(issue.call);
  if (call.head.empty()) return "";
  const std::string source = source_line_ ? source_line_(issue) : "";
  return call.text(
      {issue.seq, issue.batch, realtimeAt(issue.issue_ns), source});
}

const IssuedCall& OperationLines::knownCall(std::uint32_t id) {
  const auto found = calls_.find(id);
  if (found != calls_.end()) return found->second;
  if (calls_.size() >= kMaxCalls) calls_.clear();
  const v1::Call* call = known_.call(id);
  const v1::Group* group = call ? known_.group(call->group()) : nullptr;
  IssuedCall known;
  if (group && isPrinted(mode_, header_.rank(), *call, *group)) {
    known = describeIssued(header_, *call, *group);
  }
  return calls_[id] = std::move(known);
}

std::int64_t OperationLines::realtimeAt(std::int64_t monotonic_ns) {
  if (monotonic_ns - clocks_.monotonic_ns > kClockIntervalNs) {
    clocks_ = readClocks();
  }
  return monotonic_ns - clocks_.monotonic_ns + clocks_.realtime_ns;
}

}  // namespace traced
