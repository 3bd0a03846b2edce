// The words that verdicts share.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/diagnosis/evidence/job_state.h"
#include "analysis/diagnosis/evidence/silence.h"
#include "analysis/diagnosis/telling/verdict.h"
#include "analysis/stream/rank_list.h"

namespace traced {

// "rank 5 has", "ranks 0-3 have".
std::string ranksVerb(const std::vector<std::uint32_t>& ranks,
                      const char* singular, const char* plural);
// Returns the predicate for `ranks` of an end that endText() has for one rank:
// "were killed by SIGKILL" for "was killed by SIGKILL" and several ranks.
std::string endOf(const std::vector<std::uint32_t>& ranks,
                  const std::string& end);
// "all_reduce #1532 on \"dp\"", "recv #3 from rank 1 on \"pp\"".
std::string operationText(const JobState& job, const OperationRef& operation);
// The same with the line that called it, ", called at train.py:120 in forward",
// where that is known.
// Of the operation that a verdict is about.
std::string operationText(const JobState& job, const JobVerdict& verdict);
std::string placedText(const JobState& job, const OperationRef& operation);
// "#1532 of \"dp\"".
std::string placeText(const JobState& job, std::uint32_t group,
                      std::uint64_t seq);
// Returns the predicate of its ranks: "called no operation for 12.3 s".
std::string silenceText(const Silence& silence);
// "12.3 s".
std::string secondsText(std::int64_t ns);

inline constexpr char kNoMajority[] =
    "Two cannot outvote each other: both are named.";

}  // namespace traced
