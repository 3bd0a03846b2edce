// The CSV that `tracectl compare --append` writes and Apache Otava imports: a
// row per run, in the order of their starts. docs/ci.md describes its columns.

#pragma once

#include <string>
#include <string_view>

#include "analysis/compare/run_figures.h"
#include "base/result.h"

namespace traced {

// Returns `csv` with a row, and columns where they are new, for a run without
// gaps. `csv` is empty, or what this function returned before. The error says
// why the run cannot be added.
Result<std::string> withRun(std::string_view csv, const RunFigures& run,
                            const std::string& label);

}  // namespace traced
