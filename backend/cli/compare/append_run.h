// Implements `tracectl compare RUN --append FILE`: adds a run as a row of a CSV
// file.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/run_figures.h"
#include "base/result.h"
#include "cli/common/complain.h"

namespace traced {

// Adds a row to `file`, and creates the file if necessary. Refuses a run with
// gaps and a run that the file already has. Several processes may add to one
// file at the same time. A reader sees the file before or after a change, never
// in between.
ExitCode appendRun(const RunFigures& run, const std::string& file,
                   const std::string& label);

// Reports why a run cannot be measured. Returns the exit code.
ExitCode refuseUnmeasured(const std::vector<std::string>& reasons);

// Returns `csv` with a row added for a run without gaps, and new columns if
// necessary. The format is that of Apache Otava. Rows are ordered by start
// time; docs/use/ci.md describes the columns. `csv` must be empty or a previous
// result of this function. The error is the reason why the run cannot be added.
Result<std::string> withRun(std::string_view csv, const RunFigures& run,
                            const std::string& label);

}  // namespace traced
