// Sentences about where the threads of a rank stood when it was sampled.

#pragma once

#include <string>

#include "analysis/diagnosis/job_state/rank_state.h"

namespace traced {

// Returns what a thread does: "sleeping (clock_nanosleep)".
std::string doingText(const ThreadStanding& standing);

// Returns the line that a thread is in and what it does there: "at
// /job/train.py:7 in next_batch, sleeping (clock_nanosleep)".
std::string standingText(const ThreadStanding& standing);

// Returns the thread to describe: the main thread if it runs Python, or else
// one that does. Returns nullptr without samples.
const ThreadStanding* shownStanding(const RankState& rank);

// Returns sentences about that thread, after a space: " It stood at ..., in 2
// samples over 5.0 s.". Says first if the process had been stopped. "" without
// samples.
std::string stoodText(const RankState& rank);

}  // namespace traced
