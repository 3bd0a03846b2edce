// Identifies one start of a job: the processes whose rings one keeper watches.

#pragma once

#include <string>

#include "traced/v1/trace.pb.h"

namespace traced {

// Returns what all processes of one start of a job have in common: the folder
// of their traces, the job, and the name of the start; without a name, the
// attempt and where they met. `trace` is part 0 of the trace of one of them,
// absolute.
std::string jobStartKey(const std::string& trace, const v1::Header& header);

}  // namespace traced
