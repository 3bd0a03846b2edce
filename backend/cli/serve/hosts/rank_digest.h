// What is told of one rank, here and to other hosts.

#pragma once

#include <cstdint>

#include "cli/serve/metric_families.h"
#include "cli/serve/watched_jobs.h"
#include "traced/v1/host_digest.pb.h"

namespace traced {

// `now_ns`: on this host's CLOCK_MONOTONIC.
v1::RankDigest rankDigest(const WatchedJobs::Rank& rank, const LiveSums& sums,
                          std::int64_t now_ns);

// The families traced_rank_..., with these labels.
void addRankMetrics(const v1::RankDigest& rank, const MetricLabels& labels,
                    MetricFamilies& out);

}  // namespace traced
