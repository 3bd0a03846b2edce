// Matched operations as text and as JSON.

#pragma once

#include <ostream>
#include <string>

#include "absl/types/span.h"
#include "analysis/loaded_run.h"
#include "analysis/match.h"
#include "analysis/trace_set.h"
#include "cli/json.h"

namespace traced {

// The rows to show of a table, and how many were left out at either end.
struct ShownRows {
  absl::Span<const MatchRow> rows;
  std::size_t left_out = 0;
};

struct ShowContext {
  std::string title;
  const TraceSet& set;
  const LoadedRun& run;
  const MatchTable& table;
};

// A line per row and a column per rank, for `max_ranks` of the ranks that
// appear.
void writeShowText(std::ostream& out, const ShowContext& context,
                   const ShownRows& shown, std::size_t max_ranks);

// Written row by row: the JSON of a long run does not fit memory.
void writeShowJson(std::ostream& out, const ShowContext& context,
                   const ShownRows& shown);

// One operation with all its fields; see docs/cli.md.
Json operationJson(const StreamTable& table, const AssembledOperation& op);

}  // namespace traced
