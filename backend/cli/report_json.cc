#include <utility>

#include "cli/report_output.h"

namespace traced {
namespace {

void addCounts(Json& json, const CallTotals& totals) {
  json["count"] = totals.calls;
  json["bytes_in"] = totals.bytes_in;
  json["bytes_out"] = totals.bytes_out;
  json["ends_at_wait"] = totals.ends_at_wait;
  json["ends_at_hook"] = totals.ends_at_hook;
  json["ends_unknown"] = totals.ends_unknown;
  json["failed"] = totals.failed;
}

void addTotals(Json& json, const CallTotals& totals, std::uint64_t run_ns) {
  addCounts(json, totals);
  json["host"] = toJson(totals.host);
  json["completion"] = toJson(totals.completion);
  json["wait"] = toJson(totals.wait);
  json["share"] = totals.shareOf(run_ns);
}

Json rowJson(const Report& report, const ReportRow& row) {
  Json json = Json::object();
  for (std::size_t i = 0; i < report.by.size(); ++i) {
    const std::string name = nameOf(report.by[i]);
    if (report.by[i] == ReportKey::kRank) {
      json[name] = std::stoul(row.keys[i]);
    } else {
      json[name] = row.keys[i];
    }
  }
  addCounts(json, row.totals);
  json["host"] = toJson(row.host);
  json["completion"] = toJson(row.completion);
  json["wait"] = toJson(row.wait);
  setIf(json, "algbw_gbs", row.algbw_gbs);
  setIf(json, "busbw_gbs", row.busbw_gbs);
  json["share"] = row.share;
  return json;
}

Json ranksJson(const Report& report) {
  Json ranks = Json::array();
  for (const RankTotals& rank : report.ranks) {
    Json json = {{"rank", rank.rank}, {"run_ns", rank.run_ns}};
    addTotals(json, rank.totals, rank.run_ns);
    ranks.push_back(std::move(json));
  }
  return ranks;
}

Json groupTotalsJson(const Report& report) {
  std::vector<Json> groups = groupsJson(report.groups);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    addTotals(groups[i], report.group_totals[i], report.summary.totalRunNs());
  }
  return groups;
}

// Without returns and waits there is no telling.
void eraseShares(Json& json) {
  json["total"].erase("share");
  for (const char* list : {"ops", "ranks", "groups"}) {
    for (Json& entry : json[list]) entry.erase("share");
  }
}

}  // namespace

Json reportJson(const std::string& title, const TraceSet& set,
                const Report& report) {
  const RunSummary& summary = report.summary;
  Json by = Json::array();
  for (const ReportKey key : report.by) by.push_back(nameOf(key));
  Json json = {{"schema", kJsonSchema},
               {"title", title},
               {"by", std::move(by)},
               {"world_size", summary.worldSize()},
               {"hosts", summary.hosts()},
               {"torch_versions", summary.torchVersions()},
               {"backends", summary.backends()},
               {"run_ns", summary.longestRunNs()},
               {"rank_time_ns", summary.totalRunNs()},
               {"simulated", summary.simulated()},
               {"switched_off", pausesJson(summary.pauses())}};
  Json& total = json["total"] = Json::object();
  addTotals(total, report.all, summary.totalRunNs());
  Json& ops = json["ops"] = Json::array();
  for (const ReportRow& row : report.rows) ops.push_back(rowJson(report, row));
  json["ranks"] = ranksJson(report);
  json["groups"] = groupTotalsJson(report);
  if (summary.fromDumps()) eraseShares(json);
  json["lost"] = lostJson(set, summary);
  json["warnings"] = allWarnings(set, summary);
  return json;
}

}  // namespace traced
