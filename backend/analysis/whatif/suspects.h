// Finds the ranks that computed longer than their peers.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/job/time_windows.h"
#include "analysis/whatif/peer_gaps.h"
#include "analysis/whatif/replay_job.h"

namespace traced::whatif {

struct Suspect {
  std::uint32_t rank = 0;  // index into ReplayJob::ranks
  // By how much it certainly computed longer than the median of its peers, in
  // ns: the sum over the steps in which it did.
  double extra_ns = 0;
};

struct Suspects {
  // Ranks with peers in at least half of their steps. Most extra first.
  std::vector<Suspect> ranks;
  // The first of `ranks`: those with at least half of the largest extra. Empty
  // if only one, or too many to name.
  std::vector<std::uint32_t> alike;
  // Rank numbers of those without enough peers.
  std::vector<std::uint32_t> without_peers;
};

Suspects findSuspects(const ReplayJob& job, const PeerGaps& gaps);

// By how much a rank computed longer than its peers, in ns: the sum over steps,
// and the mean of them, each weighted by its own length.
struct Extra {
  double all_ns = 0;
  double typical_ns = 0;
};

// The steps in which a rank computed noticeably longer than its peers: by at
// least a quarter of the typical extra.
struct LongSteps {
  std::uint32_t rank = 0;  // its number
  // Step numbers, ascending, and the median extra in these steps in ns.
  std::vector<std::uint64_t> steps;
  double median_ns = 0;
  // In these steps: the sum of the extra in ns, and when the rank computed, in
  // common time.
  double extra_ns = 0;
  std::vector<TimeWindow> computing;
  // At least one of them is in the later half of the steps.
  bool in_later_half = false;
  // The number of steps with peers, and in how many the rank was longer by any
  // amount.
  std::size_t with_peers = 0;
  std::size_t longer = 0;
  // Its extra, and the largest one of ranks that the question does not change.
  Extra extra;
  Extra of_others;
};

// Returns the long steps of each of `ranks`, which are indices into
// ReplayJob::ranks and change together. A rank without any extra has none.
// Their `computing` is empty unless `with_computing`.
std::vector<LongSteps> longStepsOf(const ReplayJob& job, const PeerGaps& gaps,
                                   const std::vector<std::uint32_t>& ranks,
                                   bool with_computing);

}  // namespace traced::whatif
