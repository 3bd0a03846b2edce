// The report of a whole run, which takes two passes over its streams.

#pragma once

#include <vector>

#include "analysis/job/run_window.h"
#include "analysis/reading/trace_set.h"
#include "analysis/report/report.h"

namespace traced {

// Reads the selected streams twice: first to learn when each rank arrived at
// each collective, then to split the time of each operation, several streams at
// once. Memory: a stream per thread, a row per collective, 64 MiB at most for a
// host whose clock is not aligned yet, and what ReportBuilder keeps.
// With a window only what was issued in it counts, and ranks are as long as it;
// who waited for whom is told from all of the run.
// `fold`: many groups of one role have rows together. `with_pictures`: the
// report has Pictures, too.
Report buildReport(const TraceSet& set, std::vector<ReportKey> by,
                   ReportedScope scope = ReportedScope::kAll,
                   const RunWindow& window = {}, bool fold = false,
                   bool with_pictures = false);

}  // namespace traced
