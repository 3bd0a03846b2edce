// What to type after a verdict, ready to be pasted.

#pragma once

#include <string>
#include <vector>

#include "analysis/diagnosis/diagnosis.h"

namespace traced {

// `input`: words of a shell that name the run.
std::vector<std::string> nextCommands(const std::string& input,
                                      const JobState& job,
                                      const JobVerdict& verdict);

}  // namespace traced
