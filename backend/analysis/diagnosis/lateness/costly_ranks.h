// Finds the ranks whose extra computing makes a run longest, by a replay.

#pragma once

#include <vector>

#include "analysis/diagnosis/verdicts/verdict.h"
#include "analysis/whatif/whatif.h"

namespace traced {

// Returns whether a verdict names stragglers.
bool isStraggler(const JobVerdict& verdict);

// Adds to a straggler's verdict what the run would save without its extra
// computing.
void addGain(const whatif::Answer& answer, JobVerdict& verdict);

// Adds a verdict about the ranks that would save most, if no straggler's
// verdict names them yet. It replaces verdicts about some of these ranks.
// `are_marked`: the program marked its steps.
void addCostlyRanks(const whatif::WhatIf& replayed, bool are_marked,
                    std::vector<JobVerdict>& verdicts);

}  // namespace traced
