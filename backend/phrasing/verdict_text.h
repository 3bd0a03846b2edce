// Sentences for a verdict. Text, JSON, HTML, exports and the keeper's last line
// all use them.

#pragma once

#include <string>
#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/verdicts/verdict.h"

namespace traced {

// Returns what happened: "rank 5 never joined all_reduce #1532 of \"dp\"; ranks
// 0-4,6-7 wait for it, for 42.1 s."
std::string summaryOf(const JobState& job, const JobVerdict& verdict);

// Returns the summary with the confidence of the finding and of the blame:
// "(certain; that rank 5 is to blame: likely)".
std::string headlineOf(const JobState& job, const JobVerdict& verdict);

// Returns one complete sentence per fact.
std::vector<std::string> phrases(const JobState& job,
                                 const std::vector<Fact>& facts);

// Returns the sentence about operations that are blocked only as a consequence;
// "" if there are none.
std::string consequenceOf(const JobState& job, const JobVerdict& verdict);

}  // namespace traced
