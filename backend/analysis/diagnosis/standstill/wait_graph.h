// The wait-for graph between operations that stand still: one waits for another
// if a rank it misses is inside the other. What waits for nothing else is a
// root cause; a cycle is a deadlock.

#pragma once

#include <vector>

#include "analysis/diagnosis/evidence/job_state.h"
#include "analysis/diagnosis/program/program_order.h"
#include "analysis/diagnosis/telling/verdict.h"
#include "analysis/diagnosis/trouble/trouble.h"

namespace traced {

// A verdict for every root: the trouble's own where it stands alone, a deadlock
// for a cycle. Operations that only wait for a root are told in its evidence.
// Culprits are those who left the order of the program, as far as that tells.
std::vector<JobVerdict> rootsOf(const JobState& job,
                                std::vector<Trouble> troubles,
                                ProgramOrder& order);

}  // namespace traced
