// Cheap tests that decide whether the streams are read again.

#pragma once

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// Returns whether all ranks of the job have a complete trace of one run, with
// all groups.
bool isCompleteJob(const JobState& job, const TraceSet& set);

// Returns whether sets of ranks may reduce floats among themselves while no
// data crosses the sets. Ignores broadcasts and integers, so the answer may be
// wrong in one direction only.
bool mayHaveIslands(const JobState& job);

// Returns whether the members of a group may gather parameters without reducing
// floats among each other.
bool mayLackReductions(const JobState& job);

// Returns whether all streams mark a step after each step of an optimizer
// (TRACED_AUTO_STEP).
bool countsOptimizerSteps(const TraceSet& set);

}  // namespace traced
