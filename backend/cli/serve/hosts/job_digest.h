// Builds the digest of a job whose ranks run on this host, and of each rank.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>

#include "cli/serve/metric_families.h"
#include "cli/serve/watched_jobs.h"
#include "traced/v1/host_digest.pb.h"

namespace traced {

// For each group, by its index in the job's catalog, the block of numbers whose
// calls are listed one by one.
using SpelledBlocks = std::map<std::uint32_t, std::uint64_t>;

// Returns ranks, findings, and the ranks that have waited for `waiting_after`
// or longer. `now_ns` is on this host's CLOCK_MONOTONIC.
v1::JobDigest jobDigest(const WatchedJobs::Job& job,
                        std::chrono::nanoseconds waiting_after,
                        std::int64_t now_ns);

// Adds the order of calls of groups that also have members on other hosts.
void addOrders(const WatchedJobs::Job& job, const SpelledBlocks& spelled,
               v1::JobDigest& digest);

// Returns the digest of one rank. `now_ns` is on this host's CLOCK_MONOTONIC.
v1::RankDigest rankDigest(const WatchedJobs::Rank& rank, const LiveSums& sums,
                          std::int64_t now_ns);

// Adds the metric families traced_rank_..., with these labels.
void addRankMetrics(const v1::RankDigest& rank, const MetricLabels& labels,
                    MetricFamilies& out);

}  // namespace traced
