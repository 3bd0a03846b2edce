#include "analysis/diagnosis/lateness/compared_ranks.h"

#include <algorithm>
#include <cstddef>

#include "trace_io/wrapping.h"

namespace traced {
namespace {

// Returns whether a rank was on time in the windows, given when it was late.
bool isOnTime(const LateTimes& also, const CoveredWindows& windows) {
  std::int64_t also_ns = 0;
  for (const TimeWindow& window : also.windows) {
    also_ns =
        wrappingSum(also_ns, windows.within(window.begin_ns, window.end_ns));
  }
  return also_ns <= windows.allNs() / kOnTimeBelow;
}

// Ranks in regular distances have the same place in their hosts. So the order
// is that of a hash: the finalizer of MurmurHash3.
std::uint32_t hashOf(std::uint32_t rank) {
  rank = (rank ^ (rank >> 16)) * 0x85ebca6b;
  rank = (rank ^ (rank >> 13)) * 0xc2b2ae35;
  return rank ^ (rank >> 16);
}

}  // namespace

std::vector<std::uint32_t> ranksOnTime(const JobState& job,
                                       const JobVerdict& verdict,
                                       const LateTimes& late,
                                       const CoveredWindows& windows) {
  std::vector<std::uint32_t> ranks;
  if (verdict.group != GroupCatalog::kNone) {
    ranks = job.membersOf(verdict.group).present;
  } else {
    for (const RankState& rank : job.ranks) ranks.push_back(rank.rank);
  }
  std::vector<std::uint32_t> excluded = {late.rank};
  for (const auto* others : {&verdict.late, &verdict.also_late}) {
    for (const LateTimes& also : *others) {
      if (!isOnTime(also, windows)) excluded.push_back(also.rank);
    }
  }
  std::sort(excluded.begin(), excluded.end());
  std::erase_if(ranks, [&](std::uint32_t rank) {
    return std::binary_search(excluded.begin(), excluded.end(), rank);
  });
  if (ranks.size() > kMaxCompared) {
    std::sort(ranks.begin(), ranks.end(), [](std::uint32_t a, std::uint32_t b) {
      return hashOf(a) < hashOf(b);
    });
    ranks.resize(kMaxCompared);
  }
  return ranks;
}

}  // namespace traced
