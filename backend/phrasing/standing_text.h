// Sentences about where the threads of a rank were when it was sampled.

#pragma once

#include <string>

#include "analysis/diagnosis/job_state/rank_state.h"

namespace traced {

// Returns what a thread did: "sleeping (clock_nanosleep)".
std::string doingText(const ThreadStanding& standing);

// Returns the line that a thread was in and what it did there: "at
// /job/train.py:7 in next_batch, sleeping (clock_nanosleep)".
std::string standingText(const ThreadStanding& standing);
// Returns the same without the file and the exception, which differ between
// ranks that do the same.
std::string sharedPlaceText(const ThreadStanding& standing);

// Returns the thread to describe: the one that issued the last operation, if it
// runs Python, otherwise the main thread or another one that does. Returns
// nullptr without samples.
const ThreadStanding* shownStanding(const RankState& rank);

// Returns sentences about that thread, after a space: " It was at ..., in 2
// samples over 5.0 s.". Says first if the process had been stopped. "" without
// samples.
std::string stoodText(const RankState& rank);

}  // namespace traced
