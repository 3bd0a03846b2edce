// Chooses the ranks to compare a late one with.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/verdicts/verdict.h"
#include "analysis/job/covered_windows.h"

namespace traced {

// A rank is on time if it is late by less than a fifth of what the latest is.
inline constexpr std::int64_t kOnTimeBelow = 5;

// Returns up to kMaxCompared ranks, chosen at random, that were on time while
// `late` was late: in at most a fifth of that time they were late as well.
// `windows` are those of `late`.
std::vector<std::uint32_t> ranksOnTime(const JobState& job,
                                       const JobVerdict& verdict,
                                       const LateTimes& late,
                                       const CoveredWindows& windows);

inline constexpr std::size_t kMaxCompared = 32;

}  // namespace traced
