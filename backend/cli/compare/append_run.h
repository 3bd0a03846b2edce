// tracectl compare RUN --append FILE: a run becomes a line of a history.

#pragma once

#include <string>
#include <vector>

#include "analysis/compare/run_figures.h"
#include "cli/common/exit_code.h"

namespace traced {

// A run with gaps is no measure of anything, and is refused, as one is that is
// in the file already.
ExitCode appendRun(const RunFigures& run, const std::string& file,
                   const std::string& label);

// Says why a run cannot be measured.
ExitCode refuseUnmeasured(const std::vector<std::string>& reasons);

}  // namespace traced
