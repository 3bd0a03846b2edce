// Writes the answers to what-if questions as text and as JSON.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "analysis/job/run_filters.h"
#include "analysis/job/run_summary.h"
#include "analysis/reading/trace_set.h"
#include "analysis/whatif/whatif.h"
#include "cli/common/json.h"

namespace traced {

struct WhatIfOutput {
  std::string title;
  const TraceSet& set;
  const RunSummary& summary;
  const whatif::WhatIf& result;
  // How many times faster the network becomes.
  double network = 2;
  // The included part of the run, and the number of operations outside it.
  RunWindow window;
  std::uint64_t outside = 0;
  // Maximum number of rows of each table.
  std::size_t max_rows = 0;
};

std::string whatIfText(const WhatIfOutput& output, std::size_t columns,
                       bool colours);
Json whatIfJson(const WhatIfOutput& output);

}  // namespace traced
