// Converts the state of watched jobs to metrics.

#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/serve/hosts/hosts.h"
#include "cli/serve/metric_families.h"
#include "cli/serve/watched_jobs.h"

namespace traced {

// Returns the operation's name, such as "all_reduce". Without a value, returns
// "other": the operations beyond the bounds of LiveSums.
std::string operationLabel(std::optional<v1::Operation> op);

// Returns the metrics of all watched jobs. Samples added later belong to
// `serve` itself. `interval` is the time between two polls.
// The output is bounded: at most 2000 lines of OpenMetrics for 8 ranks, 30
// groups and 12 sizes. docs/use/serve.md lists the names.
MetricFamilies metricsOf(const WatchedJobs& watched, const Hosts& hosts,
                         std::chrono::nanoseconds interval);

// Returns the metrics of the ranks of all hosts, with the label `host`.
MetricFamilies hostsMetricsOf(const Hosts& hosts);

// Adds the metrics that NCCL's Inspector exports to Prometheus, with its names
// and labels, so that dashboards made for it work. They cover the latest
// interval and sum over all ranks of the host.
void addInspectorMetrics(const WatchedJobs::Job& job,
                         const MetricLabels& labels, MetricFamilies& out);

}  // namespace traced
