// Slow links that have something to do with each other, and whom they have in
// common.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diagnosis/slow_peers/compared_links.h"
#include "analysis/diagnosis/slow_peers/slow_links.h"

namespace traced {

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

}  // namespace traced
