#include <map>

#include "absl/strings/str_format.h"
#include "analysis/stream/names.h"
#include "cli/info/info.h"
#include "phrasing/warnings.h"

namespace traced {
namespace {

template <typename Map>
Json mapJson(const Map& map) {
  // Sorts the keys, because protobuf maps have no stable order.
  nlohmann::json sorted = nlohmann::json::object();
  for (const auto& [key, value] : map) sorted[key] = value;
  return Json(sorted);
}

// `Message` is the accounts, or one thread in them.
template <typename Message>
Json dropsJson(const Message& message) {
  Json drops = Json::object();
  for (const v1::Drop& drop : message.drop()) {
    drops[nameOf(drop.reason())] = drop.records();
  }
  return drops;
}

Json threadDropsJson(const v1::Accounts& accounts) {
  Json threads = Json::array();
  for (const v1::ThreadDrops& thread : accounts.thread_drops()) {
    Json& json = threads.emplace_back(Json::object());
    if (thread.tid() != 0) {
      json["tid"] = thread.tid();
      json["name"] = thread.name();
    }
    json["dropped_by_reason"] = dropsJson(thread);
  }
  return threads;
}

Json ownCostJson(const OwnCost& cost) {
  Json json = {{"samples", cost.samples}, {"total_ns", cost.sampled_ns}};
  if (cost.known()) {
    json["mean_ns"] = cost.perOperationNs();
    json["share_of_run"] = cost.shareOfRun();
  }
  return json;
}

Json rankOwnCostJson(const RunInfo::Rank& rank) {
  Json json = ownCostJson(rank.own_cost);
  Json& histogram = json["log2_ns"] = Json::array();
  for (const auto count : rank.table.accounts.own_time_log2_ns()) {
    histogram.push_back(count);
  }
  return json;
}

Json rendezvousJson(const v1::Rendezvous& met) {
  Json json = Json::object();
  if (!met.address().empty()) json["address"] = met.address();
  if (met.port() != 0) json["port"] = met.port();
  if (!met.run_id().empty()) json["run_id"] = met.run_id();
  if (!met.launcher().empty()) json["launcher"] = met.launcher();
  if (!met.start().empty()) {
    json["start"] = met.start();
    json["start_attempt"] = met.start_attempt();
  }
  return json;
}

Json headerJson(const v1::Header& header) {
  return {{"rank", header.rank()},
          {"world_size", header.world_size()},
          {"host", header.host()},
          {"pid", header.pid()},
          {"job", header.job()},
          {"attempt", header.attempt()},
          // Written as text, because JSON readers keep only 53 bits of a
          // number.
          {"stream_id", absl::StrFormat("%016x", header.stream_id())},
          {"schema", header.schema()},
          {"traced_version", header.traced_version()},
          {"torch_version", header.torch_version()},
          {"python_version", header.python_version()},
          {"library_versions", mapJson(header.library_versions())},
          {"boot_id", header.boot_id()},
          {"time_namespace", header.time_namespace()},
          {"started_monotonic_ns", header.started().monotonic_ns()},
          {"started_realtime_ns", header.started().realtime_ns()},
          {"labels", mapJson(header.labels())},
          {"settings", mapJson(header.settings())}};
}

void addMarks(Json& json, const Marks& marks) {
  json["steps"] = marks.steps().size();
  if (!marks.steps().empty()) {
    json["first_step"] = marks.steps().front().number;
    json["last_step"] = marks.steps().back().number;
  }
  std::map<std::string, std::uint64_t> counts;
  for (const Marks::Event& event : marks.events()) {
    ++counts[nameOf(event.kind)];
  }
  json["marks"] = counts;
  Json& pauses = json["pauses"] = Json::array();
  for (const Pause& pause : marks.pauses()) {
    Json& entry = pauses.emplace_back(Json::object());
    if (pause.began.known()) entry["begin_ns"] = pause.began.ns();
    if (pause.ended.known()) entry["end_ns"] = pause.ended.ns();
  }
}

// Adds the fields that a dump lacks and those that only a dump has.
void describeDump(Json& json, const StreamTable& table) {
  for (const char* unknown : {"host", "pid", "job", "attempt", "traced_version",
                              "torch_version", "python_version", "boot_id",
                              "time_namespace", "settings", "own_time"}) {
    json.erase(unknown);
  }
  json["dump"] = true;
  json["not_in_dump"] = table.not_in_dump;
  Json& progress = json["progress"] = Json::array();
  for (const GroupProgress& group : table.progress) {
    Json& entry = progress.emplace_back(Json::object());
    if (!group.name.empty()) entry["group"] = group.name;
    if (group.last_enqueued) entry["last_enqueued"] = *group.last_enqueued;
    if (group.last_started) entry["last_started"] = *group.last_started;
    if (group.last_completed) entry["last_completed"] = *group.last_completed;
  }
}

Json rankJson(const TraceSet& set, const RunInfo::Rank& rank) {
  const StreamTable& table = rank.table;
  Json json = headerJson(table.header);
  json["run_ns"] = table.runNs();
  json["operations"] = rank.operations;
  json["simulated"] = table.simulated;
  addMarks(json, table.marks);
  json["produced"] = table.accounts.produced();
  json["stored"] = table.accounts.stored();
  json["found"] = table.rows_found;
  json["dropped"] = table.dropped();
  json["dropped_by_reason"] = dropsJson(table.accounts);
  json["dropped_by_thread"] = threadDropsJson(table.accounts);
  json["missing"] = table.missing();
  json["end_known"] = table.endKnown();
  json["closed"] = table.closed;
  json["recovered"] = table.accounts.recovered();
  json["chunks"] = table.chunks;
  json["refused_bytes"] = table.refused_bytes;
  json["skipped_chunks"] = table.skipped_chunks;
  json["broken_tables"] = table.broken_tables;
  json["overlapping_chunks"] = table.overlapping_chunks;
  json["gaps"] = table.gaps;
  json["gap_positions"] = table.gap_positions;
  if (!table.header.node().empty()) json["node"] = table.header.node();
  if (table.header.has_rendezvous()) {
    json["rendezvous"] = rendezvousJson(table.header.rendezvous());
  }
  if (const auto count = table.accounts.left_out()) json["left_out"] = count;
  if (const auto count = table.accounts.lines_dropped()) {
    json["lines_dropped"] = count;
  }
  json["own_time"] = rankOwnCostJson(rank);
  Json& files = json["files"] = Json::array();
  for (const std::uint32_t file : rank.files) {
    if (!set.files[file].from_rings) files.push_back(set.files[file].path);
  }
  if (table.snapshot) describeDump(json, table);
  return json;
}

}  // namespace

Json infoJson(const std::string& title, const TraceSet& set,
              const RunInfo& info) {
  Json json = {{"schema", kJsonSchema},
               {"title", title},
               {"world_size", info.summary.worldSize()},
               {"run_ns", info.summary.longestRunNs()},
               {"operations", info.summary.operations()},
               {"simulated", info.summary.simulated()},
               {"switched_off", pausesJson(info.summary.pauses())},
               {"device_times", deviceTimesJson(info.summary.deviceTimes())},
               {"own_time", ownCostJson(info.own_cost)}};
  Json& ranks = json["ranks"] = Json::array();
  for (const RunInfo::Rank& rank : info.ranks) {
    ranks.push_back(rankJson(set, rank));
  }
  json["groups"] = groupsJson(info.groups);
  Json& files = json["files"] = Json::array();
  for (const TraceFile& file : set.files) {
    if (file.from_rings) continue;
    files.push_back({{"path", file.path},
                     {"bytes", file.bytes},
                     {"chunks", file.chunks},
                     {"unusable_bytes", file.unusable_bytes}});
  }
  addLeftOut(json, info.summary.leftOut());
  addFromRings(json, info.summary);
  json["lost"] = lostJson(set, info.summary);
  json["warnings"] = allWarnings(set, info.summary);
  return json;
}

}  // namespace traced
