// Builds the changes that the questions ask for.

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/whatif/peer_gaps.h"
#include "analysis/whatif/replay.h"
#include "analysis/whatif/replay_job.h"

namespace traced::whatif {

// Returns the change that gives one rank the gaps of its peers. `rank`: index
// into ReplayJob::ranks. `changes`: for each rank, whether it changes too.
// Those that do bound nothing. `gaps` must outlive the result.
struct RankChange {
  Change change;
  // Too few peers and steps: nothing but the recorded run bounds the answer.
  bool unbounded = false;
};
RankChange changeOfRank(const ReplayJob& job, const PeerGaps& gaps,
                        std::uint32_t rank, const std::vector<bool>& changes);

// Returns the change that replaces the gaps of ranks. `gaps` has an element per
// rank and must outlive it.
Change changeOfRanks(const ReplayJob& job,
                     const std::vector<std::vector<float>>& gaps,
                     const std::function<bool(std::uint32_t)>& is_wanted);

// Returns the median transfer time for each Kind::transfer; negative for one
// without transfers.
std::vector<float> medianTransfers(const ReplayJob& job);

// Returns the change that multiplies the transfer times of some meetings.
Change changeOfTransfers(const ReplayJob& job, double factor,
                         const std::function<bool(const Kind&)>& is_wanted);

// Returns the events of all ranks with waits for collectives moved to the end
// of their step. Waits for messages stay, because computing needs their data.
std::vector<std::vector<Event>> overlappedEvents(const ReplayJob& job);

}  // namespace traced::whatif
