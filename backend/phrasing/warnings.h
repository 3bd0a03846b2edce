// What is to be known of a run besides its answers: warnings, each a sentence.

#pragma once

#include <string>
#include <vector>

#include "analysis/job/clock_warning.h"
#include "analysis/job/run_summary.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// "12 records dropped while recording (full 12) on rank 3".
std::string lossText(const Loss& loss);
std::vector<std::string> lossTexts(const Losses& losses);

// "the clock of node7 (rank 8) could not be aligned: ...".
std::string clockText(const ClockWarning& warning);

// "no trace of ranks 3,5-7 of 8"; "" where none is absent.
std::string absentRanksText(const RunSummary& summary);

// Everything there is to warn of: inputs, selection, clocks, absent ranks and
// losses.
std::vector<std::string> allWarnings(const TraceSet& set,
                                     const RunSummary& summary);

}  // namespace traced
