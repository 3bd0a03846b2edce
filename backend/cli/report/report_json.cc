#include <iterator>
#include <utility>

#include "cli/common/part_options.h"
#include "cli/report/report_output.h"
#include "phrasing/warnings.h"

namespace traced {
namespace {

void addCounts(Json& json, const CallTotals& totals) {
  json["count"] = totals.calls;
  json["bytes_in"] = totals.bytes_in;
  json["bytes_out"] = totals.bytes_out;
  json["bytes"] = totals.bytes;
  json["ends_at_wait"] = totals.ends_at_wait;
  json["ends_by_future"] = totals.ends_by_future;
  json["ends_at_hook"] = totals.ends_at_hook;
  json["ends_unknown"] = totals.ends_unknown;
  json["ends_with_batch"] = totals.ends_with_batch;
  json["failed"] = totals.failed;
  json["captured"] = totals.captured;
  json["waits_unknown"] = totals.waits_unknown;
  if (totals.inputs.elements() > 0) json["inputs"] = toJson(totals.inputs);
  if (totals.outputs.elements() > 0) json["outputs"] = toJson(totals.outputs);
}

void addSplitCounts(Json& json, const SplitSums& split) {
  json["wait_for_peers_uncertain_ns"] = split.wait_uncertain_ns;
  json["exposed"] = toJson(split.exposed);
  json["slack"] = toJson(split.slack);
  json["not_split"] = split.withheld;
  json["arrivals"] = split.ready_times;
  json["last"] = toJson(split.last);
}

// Adds the shares of a row, rank, group or all, relative to the time of its
// ranks.
void addShares(Json& json, const Report& report, const CallTotals& totals,
               std::uint64_t run_ns) {
  // Dumps have no return and wait times, so shares are unknown.
  if (report.summary.fromDumps()) return;
  json["held_ns"] = totals.held_ns;
  json["share"] = totals.shareOf(run_ns);
  if (!report.isBounded()) return;
  json["share_at_most"] = totals.mostOf(run_ns);
  json["unseen_at_most_ns"] = totals.unseen_at_most_ns;
}

// Returns whether it is known what the time of ranks consists of. Dumps record
// neither returns nor waits, and what is out of scope may block as well.
bool hasTime(const Report& report) {
  return !report.summary.fromDumps() && report.scope == ReportedScope::kAll;
}

void addTotals(Json& json, const Report& report, const CallTotals& totals,
               std::uint64_t run_ns) {
  addCounts(json, totals);
  json["host"] = toJson(totals.host);
  json["completion"] = toJson(totals.completion);
  json["wait"] = toJson(totals.wait);
  json["wait_for_peers"] = toJson(totals.split.wait_for_peers);
  json["transfer"] = toJson(totals.split.transfer);
  addSplitCounts(json, totals.split);
  addShares(json, report, totals, run_ns);
}

// Omits a median that cannot be distinguished from 0. `sum` includes calls that
// percentiles leave out.
Json certifiedJson(const CertifiedTimes& times, const TimeSum& sum) {
  Json json = {{"count", sum.count}, {"total_ns", sum.total_ns}};
  if (times.count() == 0) return json;
  const CertifiedTime p50 = times.p50();
  const bool exact = p50.low_ns == p50.high_ns;
  if (exact || isSurelyNotZero(p50)) {
    json["p50_ns"] = p50.ns;
    json["p99_ns"] = times.p99().ns;
    json["max_ns"] = times.max().ns;
  }
  json["p50_low_ns"] = p50.low_ns;
  json["p50_high_ns"] = p50.high_ns;
  return json;
}

Json lastReadyJson(const SplitTotals& split) {
  Json ranks = Json::array();
  for (const auto& [rank, lateness] : split.ranks()) {
    if (lateness.last() == 0) continue;
    ranks.push_back({{"rank", rank},
                     {"arrivals", lateness.ready_times},
                     {"last", lateness.last()},
                     {"behind_p50_ns", lateness.behind_ns.percentile(50)}});
  }
  return ranks;
}

Json keysJson(const Report& report, const ReportRow& row) {
  Json json = Json::object();
  for (std::size_t i = 0; i < report.by.size(); ++i) {
    const std::string name = nameOf(report.by[i]);
    if (report.by[i] == ReportKey::kRank) {
      json[name] = std::stoul(row.keys[i]);
    } else {
      json[name] = row.keys[i];
    }
  }
  return json;
}

Json alignmentJson(const ClockSummary& clocks) {
  Json json = {{"count", clocks.clocks},
               {"aligned", clocks.aligned},
               {"by_wall_clock", clocks.by_wall_clock}};
  if (clocks.certified) {
    json["certified_within_ns"] = clocks.certified->within_ns;
    json["worst_pair"] = {clocks.certified->worst_pair.first,
                          clocks.certified->worst_pair.second};
  }
  return json;
}

void addDegraded(Json& all, const Report& report, const ReportRow& row,
                 const char* what, const std::optional<Trend::Change>& change) {
  if (!change) return;
  Json json = keysJson(report, row);
  json["what"] = what;
  json["since_ns"] = change->since * report.window_ns;
  json["before_p50_ns"] = change->before_ns;
  json["after_p50_ns"] = change->after_ns;
  all.push_back(std::move(json));
}

Json degradedJson(const Report& report) {
  Json all = Json::array();
  for (const ReportRow& row : report.rows) {
    addDegraded(all, report, row, "wait_for_peers", row.split.waitDegraded());
    addDegraded(all, report, row, "transfer", row.split.transferDegraded());
  }
  return all;
}

Json latestJson(const Report& report, const Latest& latest) {
  Json json = keysJson(report, report.rows[latest.row]);
  json["rank"] = latest.rank;
  json["part"] = latest.part;
  json["behind_p50_ns"] = latest.behind_p50_ns;
  return json;
}

Json rowJson(const Report& report, const ReportRow& row) {
  Json json = keysJson(report, row);
  addCounts(json, row.totals);
  if (report.isBy(ReportKey::kParent)) {
    json["parents"] = row.totals.parents;
    json["parents_ns"] = row.totals.parents_ns;
    json["parents_inside_ns"] = row.totals.parents_inside_ns;
  }
  json["first_calls_left_out"] = row.left_out;
  json["host"] = toJson(row.host);
  json["completion"] = toJson(row.completion);
  json["wait"] = toJson(row.wait);
  setIf(json, "algbw_gbs", row.algbw_gbs);
  setIf(json, "busbw_gbs", row.busbw_gbs);
  const SplitSums& sums = row.totals.split;
  json["wait_for_peers"] =
      certifiedJson(row.split.waitForPeers(), sums.wait_for_peers);
  json["transfer"] = certifiedJson(row.split.transfer(), sums.transfer);
  addSplitCounts(json, row.totals.split);
  setIf(json, "transfer_busbw_gbs", row.split.transferBusbwGbs());
  setIf(json, "ready_busbw_gbs", row.split.readyBusbwGbs());
  json["last_arrivals"] = lastReadyJson(row.split);
  addShares(json, report, row.totals, report.summary.rankTimeNs());
  return json;
}

Json ranksJson(const Report& report) {
  Json ranks = Json::array();
  for (const RankTotals& rank : report.ranks) {
    Json json = {{"rank", rank.rank}, {"run_ns", rank.run_ns}};
    if (report.window.all()) {
      setIf(json, "creating_groups_ns", rank.creating_ns);
      setIf(json, "first_calls_ns", rank.first_calls_ns);
    }
    addTotals(json, report, rank.totals, rank.run_ns);
    if (hasTime(report)) addTime(json["time"], rank.time);
    if (hasTime(report) && report.isBounded()) {
      setIf(json, "estimated_wait_ns", rank.estimated_wait_ns);
    }
    ranks.push_back(std::move(json));
  }
  return ranks;
}

const char* nameOf(StepPart part) {
  constexpr const char* kNames[] = {"computing",
                                    "exposed_wait_for_peers",
                                    "exposed_transfer",
                                    "undecided",
                                    "calls",
                                    "may_wait"};
  static_assert(std::size(kNames) == kStepParts);
  return kNames[static_cast<std::size_t>(part)];
}

Json stepsJson(const Report& report) {
  const auto steps =
      report.steps ? summarizeSteps(*report.steps) : std::nullopt;
  if (!steps || !hasTime(report)) return {};
  Json slowest = Json::array();
  for (const StepSummary::Slow& slow : steps->slowest) {
    Json json = {{"step", slow.step}, {"took_ns", slow.took_ns}};
    if (slow.more_ns > 0) {
      json["part"] = nameOf(slow.part);
      json["more_ns"] = slow.more_ns;
    }
    slowest.push_back(std::move(json));
  }
  return {{"count", steps->steps},   {"p50_ns", steps->p50_ns},
          {"p99_ns", steps->p99_ns}, {"slowest", std::move(slowest)},
          {"stalls", steps->stalls}, {"stalled_ns", steps->stalled_ns}};
}

Json timesJson(const RankTimes& times) {
  return {{"ranks", times.count()},
          {"p50_ns", times.p50Ns()},
          {"max_ns", times.longest().ns},
          {"max_rank", times.longest().rank}};
}

void addStart(Json& json, const GroupStart& start) {
  if (!start.created.empty()) json["created"] = timesJson(start.created);
  if (!start.barrier.empty()) json["barrier"] = timesJson(start.barrier);
  if (start.first.empty()) return;
  Json& first = json["first_call"] = timesJson(start.first);
  first["op"] = start.first_op;
  if (start.later_ns.count() == 0) return;
  first["later_count"] = start.later_ns.count();
  first["later_p50_ns"] = start.later_ns.percentile(50);
}

Json groupTotalsJson(const Report& report) {
  std::vector<Json> groups = groupsJson(report.groups);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    addTotals(groups[i], report, report.group_totals[i],
              report.summary.rankTimeNs());
    if (report.window.all()) addStart(groups[i], report.group_starts[i]);
  }
  return groups;
}

Json smallCallsJson(const Report& report) {
  Json sites = Json::array();
  for (const SmallCallSite& site : report.small_calls) {
    sites.push_back({{"site", site.site},
                     {"op", site.op},
                     {"ranks", site.ranks},
                     {"count", site.calls},
                     {"bytes_p50", site.p50_bytes},
                     {"cost_ns", site.cost_ns}});
  }
  return sites;
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
               {"rank_time_ns", summary.rankTimeNs()},
               {"start_up_ns", summary.longestStartUpNs()},
               {"tear_down_ns", summary.longestTearDownNs()},
               {"simulated", summary.simulated()},
               {"switched_off", pausesJson(summary.pauses())},
               {"device_times", deviceTimesJson(summary.deviceTimes())}};
  Json& total = json["total"] = Json::object();
  addTotals(total, report, report.all, summary.rankTimeNs());
  if (hasTime(report)) addTime(total["time"], report.time);
  if (hasTime(report) && report.isBounded()) {
    setIf(total, "estimated_wait_ns", report.estimated_wait_ns);
  }
  if (const Json steps = stepsJson(report); !steps.is_null()) {
    json["steps"] = steps;
  }
  Json& ops = json["ops"] = Json::array();
  for (const ReportRow& row : report.rows) ops.push_back(rowJson(report, row));
  json["clocks"] = alignmentJson(report.clocks);
  if (const auto latest = latestOf(report)) {
    json["latest"] = latestJson(report, *latest);
  }
  json["degraded"] = degradedJson(report);
  json["ranks"] = ranksJson(report);
  if (report.pictures) json["pictures"] = picturesJson(report);
  json["groups"] = groupTotalsJson(report);
  json["small_calls"] = smallCallsJson(report);
  addScope(json, report.scope, report.out_of_scope);
  addLeftOut(json, summary.leftOut());
  addWindow(json, report.window, report.out_of_window);
  addFromRings(json, summary);
  json["lost"] = lostJson(set, summary);
  json["warnings"] = allWarnings(set, summary);
  return json;
}

}  // namespace traced
