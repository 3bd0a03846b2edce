// Compares how long ranks compute at the same place of a step.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/whatif/replay_job.h"

namespace traced::whatif {

// One step of one rank, or one section of a run without marked steps.
struct RankStep {
  std::uint32_t rank = 0;  // index into ReplayJob::ranks
  std::uint32_t step = 0;  // index into RankEvents::sections
};

// Ranks that do the same in one step.
using Peers = std::vector<RankStep>;

// The computing of one rank in one step, in ns.
struct StepComputing {
  float own_ns = 0;
  // The part of it in which the rank may have waited without a record.
  float may_wait_ns = 0;
  // The sum of its peers' medians. Negative without peers.
  float peers_ns = -1;

  // Returns by how much it certainly computed longer than its peers. 0 without
  // peers.
  double extraNs() const {
    return peers_ns < 0 ? 0 : std::max(0.0F, own_ns - may_wait_ns - peers_ns);
  }
};

struct PeerGaps {
  // Per rank and event: the gap if the rank computed as long as the median of
  // its peers, and as long as the mean of all of them. The rank's own gap in
  // steps without peers.
  std::vector<std::vector<float>> median;
  std::vector<std::vector<float>> mean;
  // The largest gap of its peers.
  std::vector<std::vector<float>> largest;
  // Per rank and step.
  std::vector<std::vector<StepComputing>> steps;
  // The sets of at least two peers.
  std::vector<Peers> peers;
};

// `stage_of`: the pipeline stage of each rank; ranks of different stages are
// no peers. Empty without a pipeline.
PeerGaps comparePeers(const ReplayJob& job,
                      const std::vector<std::uint32_t>& stage_of,
                      std::size_t threads);

// Returns the median of `sorted` without the element at `position`. `sorted`
// must have at least two elements.
float medianWithout(const std::vector<float>& sorted, std::size_t position);

}  // namespace traced::whatif
