// Suggests shell commands that show more about a verdict.

#pragma once

#include <string>
#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/verdicts/verdict.h"

namespace traced {

// Returns the commands to run next, the most useful first; may be empty.
// `input` holds the run's inputs, quoted for a shell.
std::vector<std::string> nextCommands(const std::string& input,
                                      const JobState& job,
                                      const JobVerdict& verdict);

}  // namespace traced
