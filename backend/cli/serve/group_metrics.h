// Metrics of a job's groups by which a monitor compares ranks of several hosts.

#pragma once

#include <cstdint>

#include "cli/serve/metric_families.h"
#include "cli/serve/watched_jobs.h"

namespace traced {

// Adds the metrics of the first LiveSums::kMaxGroups groups of the job. The
// label `id` of a group is the same on all hosts.
// `now_ns`: on this host's CLOCK_MONOTONIC.
void addGroupMetrics(const WatchedJobs::Job& job, const MetricLabels& labels,
                     std::int64_t now_ns, MetricFamilies& out);

}  // namespace traced
