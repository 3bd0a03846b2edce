#include "recorder/print/issued_call.h"

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/group_label.h"
#include "base/operation.h"
#include "recorder/print/line_output.h"
#include "ring_io/chunks/operation_summary.h"
#include "trace_io/correlation.h"
#include "trace_io/message_size.h"
#include "traced/v1/trace.pb.h"

namespace traced {
namespace {

using LineJson = nlohmann::ordered_json;

constexpr std::size_t kMaxHead =
    LineOutput::kMaxLineBytes - IssuedCall::kMaxTail;
constexpr std::size_t kMaxSource = 256;
constexpr std::size_t kMaxMembers = 1024;
// Only the end of a long file name is shown.
constexpr std::size_t kMaxFileBytes = 200;
constexpr int kMaxRanges = 8;

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

// Returns the UTC time, such as "2025-01-31T12:00:00.123456789Z".
std::string timeText(std::int64_t realtime_ns) {
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  const time_t seconds = realtime_ns / kNsPerSecond;
  tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%09dZ",
                parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                parts.tm_hour, parts.tm_min, parts.tm_sec,
                static_cast<int>(realtime_ns % kNsPerSecond));
  return text;
}

}  // namespace

std::string IssuedCall::correlation(std::uint64_t seq) const {
  if (seq == 0) return "";
  return is_message ? correlationOfMessage(group_hash, source, destination, seq)
                    : correlationOfCollective(group_hash, seq);
}

std::string IssuedCall::text(const Issue& issue) const {
  std::string line = head;
  if (issue.batch > 0) line += ",\"batch\":" + std::to_string(issue.batch);
  const auto source_line = issue.source_line.substr(0, kMaxSource);
  if (!source_line.empty()) {
    line += ",\"source_line\":" + textOf(LineJson(source_line));
  }
  if (issue.seq > 0) {
    line += ",\"seq\":" + std::to_string(issue.seq) + ",\"correlation_id\":\"" +
            correlation(issue.seq) + '"';
  }
  return line + ",\"time\":\"" + timeText(issue.realtime_ns) + "\"}";
}

IssuedCall describeIssued(const v1::Header& header, const v1::Call& call,
                          const v1::Group& group) {
  IssuedCall known;
  const std::vector<std::uint32_t> members = membersOf(group);
  LineJson json = {{"traced", "operation"},
                   {"name", operationName(static_cast<Operation>(call.op()))},
                   {"rank", header.rank()},
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
  if (const std::string device = deviceText(call); !device.empty()) {
    json["device"] = device;
  }
  if (call.graph_plus_1() > 0) json["captured"] = true;
  if (header.labels_size() > 0) {
    for (const auto& [key, value] : header.labels()) {
      json["labels"][key] = value;
    }
  }
  known.head = headOf(std::move(json));

  GroupHash hash(header.attempt(), group.leg(), group.nth());
  for (const std::uint32_t member : members) hash.add(member);
  known.group_hash = hash.value();
  known.is_message = call.peer_global_plus_1() > 0;
  if (known.is_message) {
    const std::uint32_t peer = call.peer_global_plus_1() - 1;
    const bool sends = call.op() == v1::OPERATION_SEND;
    known.source = sends ? header.rank() : peer;
    known.destination = sends ? peer : header.rank();
  }
  return known;
}

std::string deviceText(const v1::Call& call) {
  if (call.device() == v1::DEVICE_TYPE_UNSPECIFIED) return "";
  std::string name = v1::DeviceType_Name(call.device());
  name.erase(0, sizeof "DEVICE_TYPE_" - 1);
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (call.has_device_index())
    name += ":" + std::to_string(call.device_index());
  return name;
}

std::string membersText(const v1::Group& group) {
  std::string text;
  for (int i = 0; i < group.member_size(); ++i) {
    const v1::RankRange& range = group.member(i);
    if (i == kMaxRanges) return text + ",...";
    if (i > 0) text += ',';
    text += std::to_string(range.first());
    if (range.count() < 2) continue;
    const bool is_pair = range.count() == 2 && range.stride() != 1;
    text += is_pair ? ',' : '-';
    text +=
        std::to_string(range.first() + range.stride() * (range.count() - 1));
    if (range.stride() != 1 && !is_pair) {
      text += '/' + std::to_string(range.stride());
    }
  }
  return text;
}

std::string sourceLineOf(const v1::Stack* stack) {
  const int site = stack ? static_cast<int>(stack->site()) - 1 : -1;
  if (site < 0 || site >= stack->frame_size()) return "";
  const v1::Frame& frame = stack->frame(site);
  const std::string& file = frame.file();
  return file.substr(file.size() - std::min(file.size(), kMaxFileBytes)) + ":" +
         std::to_string(frame.line());
}

}  // namespace traced
