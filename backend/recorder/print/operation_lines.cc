#include "recorder/print/operation_lines.h"

#include <time.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/group_label.h"
#include "base/operation.h"
#include "recorder/print/line_output.h"
#include "recorder/print/printed_calls.h"
#include "ring_io/chunks/operation_summary.h"
#include "trace_io/correlation.h"
#include "trace_io/message_size.h"

namespace traced {
namespace {

using LineJson = nlohmann::ordered_json;

// Room for what follows the head: numbers, the time and the correlation id.
constexpr std::size_t kMaxTail = 640;
constexpr std::size_t kMaxHead = LineOutput::kMaxLineBytes - kMaxTail;
constexpr std::size_t kMaxSource = 256;
constexpr std::size_t kMaxMembers = 1024;
// Maximum age of the clock readings.
constexpr std::int64_t kClockIntervalNs = 1'000'000'000;

std::string textOf(const LineJson& json) {
  return json.dump(-1, ' ', false, LineJson::error_handler_t::replace);
}

std::vector<std::uint32_t> membersOf(const v1::Group& group) {
  std::vector<std::uint32_t> members;
  for (const v1::RankRange& range : group.member()) {
    std::int64_t rank = range.first();
    for (std::uint32_t i = 0; i < range.count(); ++i, rank += range.stride()) {
      members.push_back(static_cast<std::uint32_t>(rank));
    }
  }
  return members;
}

std::string deviceText(const v1::Call& call) {
  std::string name = v1::DeviceType_Name(call.device());
  name.erase(0, sizeof "DEVICE_TYPE_" - 1);
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (call.has_device_index())
    name += ":" + std::to_string(call.device_index());
  return name;
}

void addSizes(LineJson& json, const v1::Call& call, const v1::Group& group) {
  const std::uint64_t bytes = messageBytes(call, group.size());
  if (trafficOf(call.op()) == Traffic::kNone) return;
  json["message_size"] = bytes;
  const auto others = bytesForOthers(call, group.size(), group.group_rank());
  if (others) json["message_size_for_others"] = *others;
}

// Drops the longest fields first if the head has no room for them.
std::string headOf(LineJson json) {
  std::string text = textOf(json);
  for (const char* field : {"group_ranks", "labels", "group"}) {
    if (text.size() <= kMaxHead) break;
    json.erase(field);
    json["cut"] = true;
    text = textOf(json);
  }
  text.pop_back();  // the closing brace
  return text;
}

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
  const KnownCall& call = knownCall(issue.call);
  if (call.head.empty()) return "";
  std::string line = call.head;
  if (issue.batch > 0) line += ",\"batch\":" + std::to_string(issue.batch);
  if (source_line_) {
    const std::string source = source_line_(issue).substr(0, kMaxSource);
    if (!source.empty()) line += ",\"source_line\":" + textOf(LineJson(source));
  }
  if (issue.seq > 0) {
    line += ",\"seq\":" + std::to_string(issue.seq) + ",\"correlation_id\":\"" +
            (call.is_message
                 ? correlationOfMessage(call.group_hash, call.source,
                                        call.destination, issue.seq)
                 : correlationOfCollective(call.group_hash, issue.seq)) +
            '"';
  }
  return line + ",\"time\":\"" + timeText(issue.issue_ns) + "\"}";
}

const OperationLines::KnownCall& OperationLines::knownCall(std::uint32_t id) {
  const auto found = calls_.find(id);
  if (found != calls_.end()) return found->second;
  if (calls_.size() >= kMaxCalls) calls_.clear();
  const v1::Call* call = known_.call(id);
  const v1::Group* group = call ? known_.group(call->group()) : nullptr;
  KnownCall known;
  if (group && isPrinted(mode_, header_.rank(), *call, *group)) {
    known = describe(*call, *group);
  }
  return calls_[id] = std::move(known);
}

OperationLines::KnownCall OperationLines::describe(
    const v1::Call& call, const v1::Group& group) const {
  KnownCall known;
  const std::vector<std::uint32_t> members = membersOf(group);
  LineJson json = {{"traced", "operation"},
                   {"name", operationName(static_cast<Operation>(call.op()))},
                   {"rank", header_.rank()},
                   {"group", groupLabel(group.name(), group.desc())},
                   {"group_size", group.size()}};
  if (members.size() > kMaxMembers) {
    json["cut"] = true;
  } else if (!members.empty()) {
    json["group_ranks"] = members;
  }
  if (call.peer_global_plus_1() > 0) {
    json["peer_rank"] = call.peer_global_plus_1() - 1;
  }
  if (call.root_global_plus_1() > 0) {
    json["root_rank"] = call.root_global_plus_1() - 1;
  }
  addSizes(json, call, group);
  if (call.device() != v1::DEVICE_TYPE_UNSPECIFIED) {
    json["device"] = deviceText(call);
  }
  if (call.graph_plus_1() > 0) json["captured"] = true;
  if (header_.labels_size() > 0) {
    for (const auto& [key, value] : header_.labels()) {
      json["labels"][key] = value;
    }
  }
  known.head = headOf(std::move(json));

  GroupHash hash(header_.attempt(), group.leg(), group.nth());
  for (const std::uint32_t member : members) hash.add(member);
  known.group_hash = hash.value();
  known.is_message = call.peer_global_plus_1() > 0;
  if (known.is_message) {
    const std::uint32_t peer = call.peer_global_plus_1() - 1;
    const bool sends = call.op() == v1::OPERATION_SEND;
    known.source = sends ? header_.rank() : peer;
    known.destination = sends ? peer : header_.rank();
  }
  return known;
}

// Returns the wall-clock time in UTC.
std::string OperationLines::timeText(std::int64_t monotonic_ns) {
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  if (monotonic_ns - clocks_.monotonic_ns > kClockIntervalNs) {
    clocks_ = readClocks();
  }
  const std::int64_t ns =
      monotonic_ns - clocks_.monotonic_ns + clocks_.realtime_ns;
  const time_t seconds = ns / kNsPerSecond;
  tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%09dZ",
                parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                parts.tm_hour, parts.tm_min, parts.tm_sec,
                static_cast<int>(ns % kNsPerSecond));
  return text;
}

}  // namespace traced
