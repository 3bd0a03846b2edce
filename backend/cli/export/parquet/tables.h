// The tables of a run, as Parquet (docs/tables.md).

#pragma once

#include <string>

#include "analysis/job/run_summary.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// Puts all of them into a folder that is not there yet or empty, or none. What
// is lost or odd goes to `summary`. Returns what went wrong, a sentence, or "".
// Memory: the operations of one file, and a row per operation of the job.
std::string writeTables(const TraceSet& set, const std::string& folder,
                        RunSummary& summary);

}  // namespace traced
