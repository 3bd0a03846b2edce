// How processes ended, in words.

#pragma once

#include <string>

#include "analysis/runs/run_list.h"
#include "analysis/stream/process_end.h"

namespace traced {

// What to say of a process behind its name: "raised RuntimeError: boom",
// "exited with code 3", "was killed by SIGKILL: memory had run out". Only the
// first line of what an exception says.
std::string endText(const ProcessEnd& end);

// How the processes of a run ended, the worst first: "ended in order", "rank 1
// raised RuntimeError: boom; rank 0 may live: ...".
std::string endText(const ListedRun& run);

}  // namespace traced
