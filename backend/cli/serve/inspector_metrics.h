// What NCCL's Inspector tells Prometheus, under its names and labels, so that
// dashboards that are made for it work.

#pragma once

#include "cli/serve/metric_families.h"
#include "cli/serve/watched_jobs.h"

namespace traced {

// Of the latest interval; all ranks of the host together.
void addInspectorMetrics(const WatchedJobs::Job& job,
                         const MetricLabels& labels, MetricFamilies& out);

}  // namespace traced
