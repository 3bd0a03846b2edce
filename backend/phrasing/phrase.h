// Returns the sentence for a fact of a verdict. For advice, the sentence names
// what to check. The sentence for CalledElsewhere has no full stop, because
// another clause may follow.

#pragma once

#include <string>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/verdicts/facts.h"

namespace traced {

std::string phrase(const JobState& job, PlainFact remark);
std::string phrase(const JobState& job, const SharedFact& fact);
std::string phrase(const JobState& job, const StuckGroupFact& fact);
std::string phrase(const JobState& job, const CallFact& fact);
std::string phrase(const JobState& job, const MessageFact& fact);
std::string phrase(const JobState& job, const EndingFact& fact);
std::string phrase(const JobState& job, const TimeFact& fact);
std::string phrase(const JobState& job, const WiringFact& fact);
std::string phrase(const JobState& job, const GradientFact& fact);
std::string phrase(const JobState& job, const ValueFact& fact);
std::string phrase(const JobState& job, const Fact& fact);

}  // namespace traced
