// Measures one run, for a comparison with others.

#pragma once

#include <optional>
#include <string>

#include "analysis/compare/run_figures.h"
#include "analysis/figures/step_range.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// Reads the selected streams twice, as a report does. If `steps` is absent,
// uses all marked steps except the last, whose end was not recorded.
RunFigures measureRun(const TraceSet& set, const std::string& name,
                      std::optional<StepRange> steps);

}  // namespace traced
