// Reads the traces of a job into its state.

#pragma once

#include <cstddef>

#include "analysis/diagnosis/evidence/job_state.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// The selected streams. What comes out does not depend on how many threads read
// them.
JobState readJob(const TraceSet& set, std::size_t threads);

}  // namespace traced
