// What a host tells of a job whose ranks run on it, and of each of them.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>

#include "cli/serve/metric_families.h"
#include "cli/serve/watched_jobs.h"
#include "traced/v1/host_digest.pb.h"

namespace traced {

// Of groups, by their index in the catalog of the job, the block whose numbers
// are to be told one by one.
using SpelledBlocks = std::map<std::uint32_t, std::uint64_t>;

// Ranks, what is wrong, and who waits for `waiting_after` and longer.
v1::JobDigest jobDigest(const WatchedJobs::Job& job,
                        std::chrono::nanoseconds waiting_after,
                        std::int64_t now_ns);

// For other hosts: the order of the calls of groups that also have members
// there.
void addOrders(const WatchedJobs::Job& job, const SpelledBlocks& spelled,
               v1::JobDigest& digest);

// `now_ns`: on this host's CLOCK_MONOTONIC.
v1::RankDigest rankDigest(const WatchedJobs::Rank& rank, const LiveSums& sums,
                          std::int64_t now_ns);

// The families traced_rank_..., with these labels.
void addRankMetrics(const v1::RankDigest& rank, const MetricLabels& labels,
                    MetricFamilies& out);

}  // namespace traced
