// A Report as text and as JSON.

#pragma once

#include <string>
#include <vector>

#include "analysis/report.h"
#include "analysis/trace_set.h"
#include "cli/json.h"

namespace traced {

// The rows in their order, `max_rows` at most; the rest is mentioned.
std::string reportText(const std::string& title, const TraceSet& set,
                       const Report& report, std::size_t max_rows);

// All rows.
Json reportJson(const std::string& title, const TraceSet& set,
                const Report& report);

}  // namespace traced
