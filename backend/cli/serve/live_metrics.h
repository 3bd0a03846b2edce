// What is told of watched jobs, as metrics.

#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/serve/watched_jobs.h"

namespace traced {

// "all_reduce"; "other" of what is beyond the bounds of LiveSums.
std::string operationLabel(std::optional<v1::Operation> op);

// As OpenMetrics. `interval`: between two looks. Bounded: at most 2000 samples
// for 8 ranks, 30 groups and 12 sizes; docs/serve.md has the names.
std::string metricsText(const WatchedJobs& watched,
                        std::chrono::nanoseconds interval);

}  // namespace traced
