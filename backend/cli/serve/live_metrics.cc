#include "cli/serve/live_metrics.h"

#include <ctime>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/stream/names.h"
#include "base/clock.h"
#include "cli/serve/inspector_metrics.h"

namespace traced {
namespace {

double seconds(std::uint64_t ns) { return static_cast<double>(ns) / 1e9; }

double asDouble(std::uint64_t value) { return static_cast<double>(value); }

class JobMetrics {
 public:
  JobMetrics(const WatchedJobs::Job& job, std::int64_t now_ns,
             MetricFamilies& out)
      : job_(job),
        sums_(job.live.sums()),
        now_ns_(now_ns),
        out_(out),
        labels_(job.labels()) {}

  void add() {
    for (const auto& [kind, totals] : sums_.kinds) addKind(kind, totals);
    for (const auto& [op, times] : sums_.times) {
      const MetricLabels labels = with({{"op", nameOf(op)}});
      out_.histogram("traced_operation_seconds",
                     "From issue to end of an operation", labels,
                     times.completion);
      out_.histogram("traced_peer_wait_seconds",
                     "How long a rank waited for others in an operation",
                     labels, times.wait_for_peers);
    }
    for (const WatchedJobs::Rank& rank : job_.ranks) addRank(rank);
    addGroups();
    out_.gauge("traced_folded_kinds",
               "Operations of groups, of ranks, that are told as \"other\"",
               labels_, asDouble(sums_.folded_kinds));
    out_.gauge("traced_folded_sizes",
               "Sizes of operations, of ranks, that are told as \"other\"",
               labels_, asDouble(sums_.folded_sizes));
    addInspectorMetrics(job_, labels_, out_);
  }

 private:
  MetricLabels with(MetricLabels more) const {
    MetricLabels all = labels_;
    for (auto& label : more) all.push_back(std::move(label));
    return all;
  }

  // What is told of operations, per kind and per rank.
  void addTotals(const std::string& prefix, const MetricLabels& labels,
                 const CallTotals& totals) {
    const auto add = [&](const char* name, const char* help, double value) {
      out_.counter(prefix + name, help, labels, value);
    };
    add("operations", "Operations that are over", asDouble(totals.calls));
    add("bytes", "The larger of input and output of each operation",
        asDouble(totals.bytes));
    add("failed_operations", "Operations that failed", asDouble(totals.failed));
    add("own_call_seconds", "From issue to return, in the caller's thread",
        seconds(totals.host.total_ns));
    add("completion_seconds", "From issue to end",
        seconds(totals.completion.total_ns));
    add("wait_for_peers_seconds", "Until the last rank was ready",
        seconds(totals.split.wait_for_peers.total_ns));
    add("transfer_seconds", "From when all were ready to the end",
        seconds(totals.split.transfer.total_ns));
    add("exposed_wait_seconds", "How long callers, or devices, stood in waits",
        seconds(totals.split.exposed.total_ns));
    add("unsplit_operations",
        "Operations without a wait for peers or without a transfer time",
        asDouble(totals.split.withheld));
  }

  void addKind(const LiveSums::Kind& kind, const CallTotals& totals) {
    addTotals("traced_",
              with({{"op", operationLabel(kind.first)},
                    {"group", job_.live.groups().label(kind.second)}}),
              totals);
  }

  std::optional<double> since(Instant at) const {
    const auto ns = between(at, Instant(now_ns_));
    if (!ns) return std::nullopt;
    return seconds(*ns);
  }

  void addRank(const WatchedJobs::Rank& rank) {
    const StreamTable& table = rank.stream->table();
    const MetricLabels labels =
        with({{"rank", absl::StrCat(table.header.rank())}});
    out_.gauge("traced_rank_up", "Whether the process of the rank lives",
               labels, rank.alive ? 1 : 0);
    const auto found = sums_.ranks.find(table.header.rank());
    if (found != sums_.ranks.end()) {
      addTotals("traced_rank_", labels, found->second.totals);
      addLateness(found->second.lateness, labels);
    }
    addLosses(rank, labels);
    if (!rank.alive) return;
    addNow(*rank.stream, labels);
  }

  void addLateness(const LiveSums::Lateness& late, const MetricLabels& labels) {
    out_.counter("traced_rank_arrivals",
                 "Operations in which it is certain which rank was last",
                 labels, asDouble(late.arrivals));
    out_.counter("traced_rank_last",
                 "Of these, those in which it was this rank", labels,
                 asDouble(late.last));
    out_.counter("traced_rank_behind_seconds",
                 "How long it then was behind the last but one", labels,
                 seconds(late.behind_ns));
    out_.counter("traced_rank_caused_wait_seconds",
                 "What all other ranks together waited for this one", labels,
                 seconds(late.caused_ns));
  }

  void addLosses(const WatchedJobs::Rank& rank, const MetricLabels& labels) {
    std::uint64_t lost = 0;
    for (const ThreadDropCount& thread : rank.news->tail().drops()) {
      lost += thread.all();
    }
    out_.counter("traced_rank_lost_records",
                 "Records that the rank could not keep", labels,
                 asDouble(lost));
    out_.counter(
        "traced_rank_missed_slots",
        "Slots of the ring that were used again before they were seen here",
        labels, asDouble(rank.news->tail().missedSlots()));
    out_.counter("traced_rank_undefined_operations",
                 "Operations of which it is not known what was called", labels,
                 asDouble(rank.stream->lost()));
  }

  void addNow(const LiveStream& stream, const MetricLabels& labels) {
    const auto add = [&](const char* name, const char* help,
                         std::optional<double> value) {
      if (value) out_.gauge(name, help, labels, *value);
    };
    add("traced_rank_seconds_since_operation",
        "Since the rank last issued an operation", since(stream.lastIssue()));
    std::uint64_t under_way = 0;
    Instant oldest;
    stream.forEachOpen([&](const AssembledOperation& op) {
      ++under_way;
      if (!oldest.known() || oldest.isAfter(op.issued)) oldest = op.issued;
    });
    add("traced_rank_operations_in_flight", "Operations without an end so far",
        asDouble(under_way));
    add("traced_rank_oldest_in_flight_seconds",
        "How long ago the oldest of these was issued",
        under_way > 0 ? since(oldest) : 0.0);
    const LiveStream::Steps& steps = stream.steps();
    if (steps.begun == 0) return;
    add("traced_rank_step", "The training step that the rank is in",
        asDouble(steps.number));
    add("traced_rank_seconds_since_step", "Since that step began",
        since(steps.began));
    if (steps.begun < 2) return;
    add("traced_rank_step_seconds", "How long the step before took",
        seconds(steps.last_ns));
  }

  void addGroups() {
    const GroupCatalog& groups = job_.live.groups();
    std::vector<bool> diverged(groups.groups().size());
    for (const auto& each : job_.live.divergences()) {
      diverged[each.group] = true;
    }
    for (std::uint32_t i = 0; i < diverged.size(); ++i) {
      if (i >= LiveSums::kMostKinds && !diverged[i]) continue;
      out_.gauge("traced_group_diverged",
                 "Whether ranks called different operations under one number",
                 with({{"group", groups.label(i)}}), diverged[i] ? 1 : 0);
    }
  }

  const WatchedJobs::Job& job_;
  const LiveSums& sums_;
  const std::int64_t now_ns_;
  MetricFamilies& out_;
  const MetricLabels labels_;
};

}  // namespace

std::string operationLabel(std::optional<v1::Operation> op) {
  return op ? nameOf(*op) : "other";
}

MetricFamilies metricsOf(const WatchedJobs& watched,
                         std::chrono::nanoseconds interval) {
  MetricFamilies out;
  const std::int64_t now_ns = readClock(CLOCK_MONOTONIC);
  for (const auto& job : watched.jobs()) {
    out.begin({job->live.header().job(), job->began_ns});
    JobMetrics(*job, now_ns, out).add();
  }
  out.begin({"", watched.beganNs()});
  out.gauge("traced_serve_jobs", "Jobs that are watched", {},
            asDouble(watched.jobs().size()));
  out.gauge("traced_serve_interval_seconds", "How often rings are looked at",
            {}, std::chrono::duration<double>(interval).count());
  out.counter(
      "traced_serve_processor_seconds", "Processor time that watching took", {},
      seconds(static_cast<std::uint64_t>(readClock(CLOCK_PROCESS_CPUTIME_ID))));
  return out;
}

}  // namespace traced
