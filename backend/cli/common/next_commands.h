// What to type after a verdict, ready to be pasted.

#pragma once

#include <string>
#include <vector>

#include "analysis/diagnosis/diagnosis.h"

namespace traced {

// `path`: what was diagnosed, as it was given; `choice`: behind it, which run
// of that.
std::vector<std::string> nextCommands(const std::string& path,
                                      const std::string& choice,
                                      const JobState& job,
                                      const JobVerdict& verdict);

}  // namespace traced
