// Pairs, ranks and groups whose transfers are slower than those of their peers.
// See docs/diagnosis.md, "Slow peers".

#pragma once

#include <vector>

#include "analysis/diagnosis/job_state.h"
#include "analysis/diagnosis/verdict.h"

namespace traced {

std::vector<JobVerdict> findSlowPeers(const JobState& job);

}  // namespace traced
