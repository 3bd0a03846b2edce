// The sentences of a verdict. Text, JSON, HTML, exports and the keeper's line
// all take them from here.

#pragma once

#include <string>
#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/verdicts/verdict.h"

namespace traced {

// What happened: "rank 5 never joined all_reduce #1532 of \"dp\"; ranks 0-4,6-7
// wait for it, for 42.1 s."
std::string summaryOf(const JobState& job, const JobVerdict& verdict);

// What is wrong, who did it, and how sure each of these is: the summary with
// "(certain; that rank 5 is to blame: likely)".
std::string headlineOf(const JobState& job, const JobVerdict& verdict);

// One sentence, or one piece of advice, for each.
std::vector<std::string> phrases(const JobState& job,
                                 const std::vector<Fact>& facts);

// The sentence about what stands still only because of it; "": nothing does.
std::string consequenceOf(const JobState& job, const JobVerdict& verdict);

}  // namespace traced
