#include "cli/common/json.h"

#include <cstdint>
#include <string_view>

#include "absl/strings/str_format.h"
#include "analysis/stream/rank_list.h"
#include "base/utf8.h"

namespace traced {
namespace {

// Appends a \u escape, or a surrogate pair beyond the basic plane.
void appendEscaped(std::string& text, char32_t code) {
  if (code < 0x10000) {
    absl::StrAppendFormat(&text, "\\u%04x", static_cast<std::uint32_t>(code));
    return;
  }
  const auto above = static_cast<std::uint32_t>(code - 0x10000);
  absl::StrAppendFormat(&text, "\\u%04x\\u%04x", 0xD800 + (above >> 10),
                        0xDC00 + (above & 0x3FF));
}

}  // namespace

std::string jsonText(const Json& json, int indent) {
  const std::string text =
      json.dump(indent, ' ', false, Json::error_handler_t::replace);
  std::string shown;
  std::size_t done = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // dump() has already escaped control characters below 0x20 in strings. Only
    // its own line breaks remain.
    const bool is_plain = byte < 0x7F;
    const Utf8Character character =
        is_plain ? Utf8Character{byte, 1}
                 : firstCharacter(std::string_view(text).substr(i));
    if (!is_plain && isUnprintable(character.code)) {
      shown.append(text, done, i - done);
      appendEscaped(shown, character.code);
      done = i + character.bytes;
    }
    i += character.bytes;
  }
  return done == 0 ? text : shown.append(text, done);
}

void writeJson(std::ostream& out, const Json& json, int indent) {
  out << jsonText(json, indent);
}

Json toJson(const TimeSum& time) {
  Json json = {{"count", time.count}, {"total_ns", time.total_ns}};
  if (time.count > 0) {
    json["mean_ns"] =
        static_cast<double>(time.total_ns) / static_cast<double>(time.count);
  }
  return json;
}

Json toJson(const TimeSummary& time) {
  Json json = {{"count", time.count}, {"total_ns", time.total_ns}};
  if (time.count > 0) {
    json["mean_ns"] = time.mean_ns;
    json["p50_ns"] = time.p50_ns;
    json["p99_ns"] = time.p99_ns;
    json["max_ns"] = time.max_ns;
  }
  return json;
}

Json toJson(const TensorSummary& tensors) {
  Json json = {{"elements", tensors.elements()},
               {"nan", tensors.nan()},
               {"infinite", tensors.infinite()}};
  if (const auto finite = tensors.finite()) {
    json["mean"] = finite->mean;
    json["minimum"] = finite->minimum;
    json["maximum"] = finite->maximum;
  }
  return json;
}

std::vector<Json> groupsJson(const GroupCatalog& groups) {
  // Bounds hostile input: a group of a dozen bytes can claim 16 million
  // members.
  std::uint32_t budget = 4'000'000;
  std::vector<Json> all;
  for (const JobGroup& group : groups.groups()) {
    Json& json = all.emplace_back(Json{{"label", group.label},
                                       {"name", group.name},
                                       {"desc", group.desc},
                                       {"backend", group.backend},
                                       {"leg", group.leg},
                                       {"nth", group.nth},
                                       {"attempt", group.attempt},
                                       {"size", group.members.size()},
                                       {"members", group.members.text(64)}});
    if (group.left_out) json["left_out"] = true;
    if (!group.backend_class.empty()) {
      json["backend_class"] = group.backend_class;
    }
    if (group.members.size() == 0) {
      json.erase("size");
      json.erase("members");
      continue;
    }
    if (group.members.size() > budget) continue;
    budget -= group.members.size();
    Json& ranks = json["ranks"] = Json::array();
    group.members.forEach([&](std::uint32_t rank) { ranks.push_back(rank); });
  }
  return all;
}

Json deviceTimesJson(const RunSummary::DeviceTimes& times) {
  Json json = {{"untimed", times.untimed},
               {"ranks", RankList::fromRanks(times.ranks).text()}};
  if (times.untimed > 0) json["why"] = times.why;
  setIf(json, "error_ns", times.error_ns);
  return json;
}

void addLeftOut(Json& json, const RunSummary::LeftOut& left_out) {
  if (left_out.operations == 0) return;
  json["not_recorded"] = {
      {"operations", left_out.operations},
      {"ranks", RankList::fromRanks(left_out.ranks).text()}};
}

void addFromRings(Json& json, const RunSummary& summary) {
  for (const RunSummary::FromRing& ring : summary.fromRings()) {
    json["from_rings"].push_back({{"rank", ring.rank},
                                  {"span_ns", ring.span_ns},
                                  {"alive", ring.alive}});
  }
}

void addScope(Json& json, ReportedScope scope, std::uint64_t out_of_scope) {
  if (scope == ReportedScope::kAll) return;
  json["scope"] = {{"reported", nameOf(scope)}, {"not_reported", out_of_scope}};
}

Json pausesJson(const RunSummary::Pauses& pauses) {
  return {{"count", pauses.count},
          {"total_ns", pauses.total_ns},
          {"ranks", RankList::fromRanks(pauses.ranks).text()}};
}

void addRecording(Json& json, const RunSummary& summary) {
  json["simulated"] = summary.simulated();
  json["switched_off"] = pausesJson(summary.pauses());
  addLeftOut(json, summary.leftOut());
}

Json lostJson(const TraceSet& set, const RunSummary& summary) {
  const Losses& losses = summary.losses();
  Json dropped = Json::object();
  for (const auto& [reason, records] : losses.dropped()) {
    dropped[reason] = records;
  }
  return {{"dropped", std::move(dropped)},
          {"not_in_dump", losses.notInDumps()},
          {"missing", losses.missing()},
          {"unusable_bytes", unusableBytes(set, summary)},
          {"gaps", losses.gaps()},
          {"absent_ranks", summary.absentRanks()},
          {"not_closed", RankList::fromRanks(losses.notClosed()).text()},
          {"end_unknown", RankList::fromRanks(losses.endUnknown()).text()}};
}

}  // namespace traced
