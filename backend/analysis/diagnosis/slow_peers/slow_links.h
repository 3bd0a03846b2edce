// SlowLinks are those whose transfers take persistently and materially longer
// than those of the links they are compared with.

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
  // Over the whole run, or from some point on to its end.
  std::int64_t since_ns = 0;
  std::size_t count = 0;
  // The median of its transfers, at least.
  std::int64_t median_ns = 0;
  // What three of four transfers between the others take at most.
  std::int64_t others_ns = 0;
  // Which part of the time it took, beyond what the others take.
  double of_the_time = 0;
};

// Links may have no transfers. `stride`: the transfers are every so manieth. At
// most half of the links.
std::vector<SlowLink> findSlowLinks(const ComparedLinks& compared,
                                    std::uint64_t stride);

// Slow links that have something to do with each other, and whom they have in
// common.
struct LinkedRanks {
  // Ascending.
  std::vector<std::uint32_t> ranks;
  std::vector<const SlowLink*> links;
};

// A rank that is in all slow links is the slow one. Of single ranks in one
// collective some may be slow only because they get their part from another.
// Else links of the same ranks, as the two directions of a pair, are together.
// `slow` must outlive what is returned.
std::vector<LinkedRanks> putTogether(const ComparedLinks& compared,
                                     const std::vector<SlowLink>& slow);

// Pairs, ranks and groups whose transfers are slower than those of their peers.
// See docs/internals/design.md, "Rules that need a proof".
std::vector<JobVerdict> findSlowPeers(const JobState& job);

}  // namespace traced
