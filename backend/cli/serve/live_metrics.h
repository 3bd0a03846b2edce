// What is told of watched jobs, as metrics.

#pragma once

#include <chrono>
#include <string>

#include "cli/serve/watched_jobs.h"

namespace traced {

// As OpenMetrics. `interval`: between two looks. Bounded: at most 2000 samples
// for 8 ranks, 30 groups and 12 sizes; docs/serve.md has the names.
std::string metricsText(const WatchedJobs& watched,
                        std::chrono::nanoseconds interval);

}  // namespace traced
