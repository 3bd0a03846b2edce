// GradientSurvey holds what all ranks of a job did with gradients.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diagnosis/gradients/gradient_reader.h"
#include "analysis/diagnosis/gradients/rank_gradients.h"
#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/reading/trace_set.h"

namespace traced {

struct GradientSurvey {
  explicit GradientSurvey(const JobState& job);

  // Indexed by rank.
  std::vector<RankGradients> ranks;
  ExchangingRanks exchanging;

  // Returns whether nothing is missing.
  bool isComplete() const;
};

// Reads the selected streams again, each once. Every rank of the job must have
// one. Keeps at most 5 KiB per rank, and what its groups and models need.
GradientSurvey readGradients(const JobState& job, const TraceSet& set);

}  // namespace traced
