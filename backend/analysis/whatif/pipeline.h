// Recognizes a pipeline: ranks that pass messages along a line, in both
// directions.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/whatif/replay_job.h"

namespace traced::whatif {

struct Pipeline {
  // Per rank of the job. Empty if the job has no pipeline.
  std::vector<std::uint32_t> stage_of;
  std::uint32_t stages = 0;

  bool any() const { return stages > 1; }
};

// All ranks must be in lines of the same length. Stages count from the lowest
// rank of a line.
Pipeline findPipeline(const ReplayJob& job);

// Returns per rank and event the gap if all stages computed equally long: gaps
// next to messages have the mean of their kind within the stage, scaled so that
// all stages have the same sum. Other gaps have the mean of their kind.
std::vector<std::vector<float>> balancedGaps(const ReplayJob& job,
                                             const Pipeline& pipeline);

}  // namespace traced::whatif
