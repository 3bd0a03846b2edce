// The report of a whole run, which takes two passes over its streams.

#pragma once

#include <vector>

#include "analysis/report.h"
#include "analysis/trace_set.h"

namespace traced {

// Reads the selected streams one by one and twice: first to learn when each
// rank arrived at each collective, then to split the time of each operation.
// Memory: one stream, a row per collective, and what ReportBuilder keeps.
Report buildReport(const TraceSet& set, std::vector<ReportKey> by,
                   ReportedScope scope = ReportedScope::kAll);

}  // namespace traced
