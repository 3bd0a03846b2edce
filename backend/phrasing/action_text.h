// Sentences and lines about the action that a verdict recommends.

#pragma once

#include <string>

#include "analysis/diagnosis/verdicts/actions.h"

namespace traced {

// Returns one sentence that says why the action follows.
const char* whyText(ActionRule rule);

// Returns a line of six words for scripts: "restart certain ranks=3,5
// hosts=node7 pids=4711,4712 rule=absent_rank". Leaves out hosts whose name has
// other characters than letters, digits, '.', '_' and '-'.
std::string actionLine(const RecommendedAction& action);

}  // namespace traced
