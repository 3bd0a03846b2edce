// Warnings about a run, each one sentence.

#pragma once

#include <string>
#include <vector>

#include "analysis/job/clock_warning.h"
#include "analysis/job/run_summary.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// Returns, for example, "12 records dropped while recording (full 12) on rank
// 3".
std::string lossText(const Loss& loss);
std::vector<std::string> lossTexts(const Losses& losses);

// Returns, for example, "the clock of node7 (rank 8) could not be aligned:
// ...".
std::string clockText(const ClockWarning& warning);

// Returns, for example, "no trace of ranks 3,5-7 (the job has 8 ranks)"; "" if
// every rank has a trace.
std::string absentRanksText(const RunSummary& summary);

// Returns all warnings: inputs, selection, clocks, absent ranks and losses.
std::vector<std::string> allWarnings(const TraceSet& set,
                                     const RunSummary& summary);

}  // namespace traced
