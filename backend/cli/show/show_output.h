// Matched operations as text and as JSON.

#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/types/span.h"
#include "analysis/match/loaded_run.h"
#include "analysis/match/match.h"
#include "analysis/reading/trace_set.h"
#include "cli/common/json.h"

namespace traced {

// The rows to show of a table, and how many were left out at either end; absent
// where that was not counted.
struct ShownRows {
  absl::Span<const MatchRow> rows;
  std::optional<std::size_t> left_out;
};

// Something that happened to a rank, and when on the common time line.
struct ShownEvent {
  std::int64_t at_ns = 0;
  std::uint32_t stream = 0;  // index into LoadedRun::streams
  Marks::Event event;
};

struct ShowContext {
  std::string title;
  const TraceSet& set;
  const LoadedRun& run;
  const MatchTable& table;
  // By time.
  const std::vector<ShownEvent>& events;
  ReportedScope scope = ReportedScope::kAll;
  RunWindow window = {};
};

// What happened to the ranks, all when none are named.
std::vector<ShownEvent> eventsOf(const LoadedRun& run,
                                 const MatchFilter& filter);

// A line for each, the last ones where there are many.
void writeEventsText(std::ostream& out, const ShowContext& context);
Json eventsJson(const ShowContext& context);

// The streams that have a column, `max_ranks` at most: each row has one of its
// own first, as far as they go, and then all have more.
absl::btree_set<std::uint32_t> streamsShown(const ShowContext& context,
                                            const ShownRows& shown,
                                            std::size_t max_ranks);
// A line about the ranks of these rows that have none; "" if all have one.
std::string ranksNotShownText(const ShowContext& context,
                              const ShownRows& shown,
                              const absl::btree_set<std::uint32_t>& streams);

// Returns what each rank called, where the ranks of a row called it with
// different arguments; "" where they agree.
std::string differenceText(const ShowContext& context, const MatchRow& row);

// A line per row and a column per rank, for `max_ranks` of the ranks that
// appear.
// Lines have `columns` at most.
void writeShowText(std::ostream& out, const ShowContext& context,
                   const ShownRows& shown, std::size_t max_ranks,
                   std::size_t columns);
// Of `max_ranks` ranks, how many have room in `columns`: one at least.
std::size_t ranksThatFit(const ShowContext& context, const ShownRows& shown,
                         std::size_t max_ranks, std::size_t columns);

// Where each of the rows was called, by the ranks that have a column.
void writeStacksText(std::ostream& out, const ShowContext& context,
                     const ShownRows& shown, std::size_t max_ranks);

// Written row by row: the JSON of a long run does not fit memory.
void writeShowJson(std::ostream& out, const ShowContext& context,
                   const ShownRows& shown);

// One operation with all its fields; see docs/reference/json.md.
Json operationJson(const StreamTable& table, const AssembledOperation& op);

}  // namespace traced
