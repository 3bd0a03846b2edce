// Sentences about how processes ended.

#pragma once

#include <string>

#include "analysis/runs/run_list.h"
#include "analysis/stream/process_end.h"

namespace traced {

// Returns a predicate for a process: "raised RuntimeError: boom", "exited with
// code 3", "was killed by SIGKILL: the kernel had run out of memory". Includes
// only the first line of an exception's message.
std::string endText(const ProcessEnd& end);

// Returns how the processes of a run ended, worst first: "ended in order",
// "rank 1 raised RuntimeError: boom; rank 0 may live: ...". Names at most two
// kinds of ends and counts the rest.
std::string endText(const ListedRun& run);

}  // namespace traced
