// What is told of watched jobs, as metrics.

#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/serve/hosts/hosts.h"
#include "cli/serve/metric_families.h"
#include "cli/serve/watched_jobs.h"

namespace traced {

// "all_reduce"; "other" of what is beyond the bounds of LiveSums.
std::string operationLabel(std::optional<v1::Operation> op);

// `interval`: between two looks. Bounded: at most 2000 lines of OpenMetrics for
// 8 ranks, 30 groups and 12 sizes; docs/use/serve.md has the names. What is
// added to it is of `serve` itself.
MetricFamilies metricsOf(const WatchedJobs& watched, const Hosts& hosts,
                         std::chrono::nanoseconds interval);

// Of the ranks of all hosts, with the label `host`.
MetricFamilies hostsMetricsOf(const Hosts& hosts);

// Adds what NCCL's Inspector gives Prometheus, under its names and labels, so
// that dashboards made for it work. Of the latest interval; all ranks of the
// host together.
void addInspectorMetrics(const WatchedJobs::Job& job,
                         const MetricLabels& labels, MetricFamilies& out);

}  // namespace traced
