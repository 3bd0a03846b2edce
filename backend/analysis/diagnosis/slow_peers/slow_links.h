// A link whose transfers take persistently and materially longer than those of
// comparable links.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/slow_peers/compared_links.h"
#include "analysis/diagnosis/verdicts/verdict.h"

namespace traced {

struct SlowLink {
  // Index into ComparedLinks::links.
  std::size_t link = 0;
  // When the slow stretch begins: at the start of the run or later. It lasts to
  // the end of the run.
  std::int64_t since_ns = 0;
  std::size_t count = 0;
  // Lower bound of the median of its transfers.
  std::int64_t median_ns = 0;
  // Upper bound of the other links' 75th percentile.
  std::int64_t others_ns = 0;
  // The fraction of the time by which its transfers exceed that of the others.
  double of_the_time = 0;
};

// Finds slow links, from the earliest point at which any is slow. Links may
// have no transfers. `stride`: the sampling stride of the transfers. Returns at
// most half of the links.
std::vector<SlowLink> findSlowLinks(const ComparedLinks& compared,
                                    std::uint64_t stride);

// Slow links with common ranks.
struct LinkedRanks {
  // Ascending.
  std::vector<std::uint32_t> ranks;
  std::vector<const SlowLink*> links;
};

// Groups slow links. If all links share ranks, returns these ranks. All single
// ranks of one collective form one group, because some may be slow only by
// waiting for another's part. Otherwise groups the links of equal ranks, such
// as the two directions of a pair. `slow` must outlive the result.
std::vector<LinkedRanks> putTogether(const ComparedLinks& compared,
                                     const std::vector<SlowLink>& slow);

// Reports pairs, ranks and groups whose transfers are slower than those of
// their peers. See docs/internals/design.md, "Rules that need a proof".
std::vector<JobVerdict> findSlowPeers(const JobState& job);

}  // namespace traced
