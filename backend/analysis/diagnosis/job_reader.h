// Reads the traces of a job into its state.

#pragma once

#include <cstddef>

#include "analysis/diagnosis/job_state.h"
#include "analysis/trace_set.h"

namespace traced {

// Threads that are of use to a set on this machine, and in its memory.
std::size_t readingThreads(const TraceSet& set);

// The selected streams. What comes out does not depend on how many threads read
// them.
JobState readJob(const TraceSet& set, std::size_t threads);

}  // namespace traced
