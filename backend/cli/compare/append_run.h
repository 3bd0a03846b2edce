// tracectl compare RUN --append FILE: a run becomes a row of a CSV file.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/run_figures.h"
#include "base/result.h"
#include "cli/common/complain.h"

namespace traced {

// Adds a row to `file`, which is made if it does not exist. Refuses a run with
// gaps, and one that the file has already. Several processes may add to one
// file at the same time. A reader sees the file before or after, never between.
ExitCode appendRun(const RunFigures& run, const std::string& file,
                   const std::string& label);

// Says why a run cannot be measured.
ExitCode refuseUnmeasured(const std::vector<std::string>& reasons);

// Returns the CSV that Apache Otava imports: a row per run, in the order of
// their starts; docs/use/ci.md describes its columns. It is `csv` with a row,
// and columns where they are new, for a run without gaps. `csv` is empty, or
// what this function returned before. The error says why the run cannot be
// added.
Result<std::string> withRun(std::string_view csv, const RunFigures& run,
                            const std::string& label);

}  // namespace traced
