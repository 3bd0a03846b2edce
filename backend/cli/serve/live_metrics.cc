#include "cli/serve/live_metrics.h"

#include <ctime>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/stream/names.h"
#include "base/clock.h"
#include "cli/serve/group_metrics.h"
#include "cli/serve/hosts/job_digest.h"

namespace traced {
namespace {

double asDouble(std::uint64_t value) { return static_cast<double>(value); }

class JobMetrics {
 public:
  JobMetrics(const HostsJob& job, MetricFamilies& out)
      : hosts_(job),
        job_(*job.own),
        sums_(job_.live.sums()),
        out_(out),
        labels_(job.labels()) {}

  void add() {
    for (const auto& [kind, totals] : sums_.kinds) addKind(kind, totals);
    for (const auto& [op, times] : sums_.times) {
      const MetricLabels labels = with({{"op", nameOf(op)}});
      out_.histogram("traced_operation_seconds",
                     "Time from issue to end of an operation", labels,
                     times.completion);
      out_.histogram("traced_peer_wait_seconds",
                     "Time that a rank waited for others in an operation",
                     labels, times.wait_for_peers);
    }
    for (const v1::RankDigest& rank : hosts_.parts().front().digest->ranks()) {
      addRankMetrics(rank, with({{"rank", absl::StrCat(rank.rank())}}), out_);
    }
    addGroups();
    addGroupMetrics(job_, labels_, readClock(CLOCK_MONOTONIC), out_);
    out_.gauge("traced_folded_kinds",
               "Operations of groups that are reported as \"other\"", labels_,
               asDouble(sums_.folded_kinds));
    out_.gauge("traced_folded_sizes",
               "Message sizes that are reported as \"other\"", labels_,
               asDouble(sums_.folded_sizes));
    addInspectorMetrics(job_, labels_, out_);
  }

 private:
  MetricLabels with(MetricLabels more) const {
    return joined(labels_, std::move(more));
  }

  // Adds the counters of operations, per kind or per rank.
  void addTotals(const std::string& prefix, const MetricLabels& labels,
                 const CallTotals& totals) {
    const auto add = [&](const char* name, const char* help, double value) {
      out_.counter(prefix + name, help, labels, value);
    };
    add("operations", "Completed operations", asDouble(totals.calls));
    add("bytes", "Bytes of the operations: the larger of input and output",
        asDouble(totals.bytes));
    add("failed_operations", "Failed operations", asDouble(totals.failed));
    add("own_call_seconds", "Time from issue to return in the caller's thread",
        metricSeconds(totals.host.total_ns));
    add("completion_seconds", "Time from issue to end",
        metricSeconds(totals.completion.total_ns));
    add("wait_for_peers_seconds", "Time until the last rank was ready",
        metricSeconds(totals.split.wait_for_peers.total_ns));
    add("transfer_seconds", "Time from when all ranks were ready to the end",
        metricSeconds(totals.split.transfer.total_ns));
    add("exposed_wait_seconds",
        "Time that callers or devices spent in recorded waits",
        metricSeconds(totals.split.exposed.total_ns));
    add("waits_unknown", "Operations without a recorded wait",
        asDouble(totals.waits_unknown));
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

  void addGroups() {
    for (std::size_t i = 0; i < hosts_.groups().size(); ++i) {
      const HostsJob::Group& group = hosts_.groups()[i];
      const bool diverged = group.divergedAt() > 0;
      if (i >= LiveSums::kMaxKinds && !diverged) continue;
      out_.gauge("traced_group_diverged",
                 "Whether ranks called different operations under one number",
                 with({{"group", group.label}}), diverged ? 1 : 0);
    }
  }

  const HostsJob& hosts_;
  const WatchedJobs::Job& job_;
  const LiveSums& sums_;
  MetricFamilies& out_;
  const MetricLabels labels_;
};

}  // namespace

std::string operationLabel(std::optional<v1::Operation> op) {
  return op ? nameOf(*op) : "other";
}

MetricFamilies metricsOf(const WatchedJobs& watched, const Hosts& hosts,
                         std::chrono::nanoseconds interval) {
  MetricFamilies out;
  for (const HostsJob& job : hosts.jobs()) {
    if (!job.own) continue;
    out.begin({job.name(), job.own->began_ns});
    JobMetrics(job, out).add();
  }
  out.begin({"", watched.beganNs()});
  out.gauge("traced_serve_jobs", "Watched jobs", {},
            asDouble(watched.jobs().size()));
  out.gauge("traced_serve_interval_seconds", "Number of ring polls", {},
            std::chrono::duration<double>(interval).count());
  out.counter(
      "traced_serve_processor_seconds", "Processor time of the watcher", {},
      metricSeconds(
          static_cast<std::uint64_t>(readClock(CLOCK_PROCESS_CPUTIME_ID))));
  return out;
}

MetricFamilies hostsMetricsOf(const Hosts& hosts) {
  MetricFamilies out;
  for (const HostsJob& job : hosts.jobs()) {
    // Another host may have started to watch the job at another time.
    out.begin({job.name(), 0});
    for (const HostsJob::Part& part : job.parts()) {
      for (const v1::RankDigest& rank : part.digest->ranks()) {
        MetricLabels labels = job.labels();
        labels.emplace_back("host", part.host);
        labels.emplace_back("rank", absl::StrCat(rank.rank()));
        addRankMetrics(rank, labels, out);
      }
    }
    for (const HostsJob::Group& group : job.groups()) {
      MetricLabels labels = job.labels();
      labels.emplace_back("group", group.label);
      out.gauge("traced_group_diverged",
                "Whether ranks called different operations under one number",
                std::move(labels), group.divergedAt() > 0 ? 1 : 0);
    }
  }
  return out;
}

}  // namespace traced
