// Pairs, ranks and groups whose transfers are slower than those of their peers.
// See docs/diagnosis.md, "Slow peers".

#pragma once

#include <vector>

#include "analysis/diagnosis/evidence/job_state.h"
#include "analysis/diagnosis/telling/verdict.h"

namespace traced {

std::vector<JobVerdict> findSlowPeers(const JobState& job);

}  // namespace traced
