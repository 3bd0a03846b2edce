// Writes matched operations as text and as JSON.

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
#include "analysis/stream/operation_values.h"
#include "cli/common/json.h"

namespace traced {

// The rows to show of a table, and the number of rows omitted at either end;
// absent if not counted.
struct ShownRows {
  absl::Span<const MatchRow> rows;
  std::optional<std::size_t> left_out;
};

// An event of a rank, with its time on the common time line.
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
  // Sorted by time.
  const std::vector<ShownEvent>& events;
  ReportedScope scope = ReportedScope::kAll;
  RunWindow window = {};
  // By stream. Empty unless wanted.
  std::vector<OperationValues> values = {};

  // Returns nullptr if there are none.
  const ValuesOfOperation* valuesOf(const MatchCell& cell) const {
    if (values.empty()) return nullptr;
    const AssembledOperation& op =
        run.streams[cell.stream].table.operations[cell.operation];
    const auto found = values[cell.stream].find(op.id);
    return found == values[cell.stream].end() ? nullptr : &found->second;
  }
};

// Returns the values of each stream.
std::vector<OperationValues> valuesOf(const LoadedRun& run);

// Returns the events of the ranks in `filter`, or of all ranks if it names
// none.
std::vector<ShownEvent> eventsOf(const LoadedRun& run,
                                 const MatchFilter& filter);

// Writes one line per event. Long lists are cut to the last events.
void writeEventsText(std::ostream& out, const ShowContext& context);
Json eventsJson(const ShowContext& context);

// Returns the streams that get a column, at most `max_ranks`. Each row first
// gets one stream of its own, then the rest are added.
absl::btree_set<std::uint32_t> streamsShown(const ShowContext& context,
                                            const ShownRows& shown,
                                            std::size_t max_ranks);
// Returns a line about ranks of these rows without a column; "" if all have
// one.
std::string ranksNotShownText(const ShowContext& context,
                              const ShownRows& shown,
                              const absl::btree_set<std::uint32_t>& streams);

// Returns what each rank called if the ranks of a row passed different
// arguments; "" if they agree.
std::string differenceText(const ShowContext& context, const MatchRow& row);

// Returns what is known of the tensors of a row, a line per rank with a column;
// "" if nothing is.
std::string valuesText(const ShowContext& context, const MatchRow& row,
                       const absl::btree_set<std::uint32_t>& streams);

// Writes a line per row and a column per rank, for at most `max_ranks` ranks.
// `columns` is the width of the text.
void writeShowText(std::ostream& out, const ShowContext& context,
                   const ShownRows& shown, std::size_t max_ranks,
                   std::size_t columns);
// Returns how many of `max_ranks` ranks fit in `columns`; at least one.
std::size_t ranksThatFit(const ShowContext& context, const ShownRows& shown,
                         std::size_t max_ranks, std::size_t columns);

// Writes the call site of each row, for the ranks that have a column.
void writeStacksText(std::ostream& out, const ShowContext& context,
                     const ShownRows& shown, std::size_t max_ranks);

// Writes JSON row by row, because the JSON of a long run does not fit in
// memory.
void writeShowJson(std::ostream& out, const ShowContext& context,
                   const ShownRows& shown);

// Returns one operation with all its fields; see docs/reference/json.md.
// `values`: of its tensors; may be nullptr.
Json operationJson(const StreamTable& table, const AssembledOperation& op,
                   const ValuesOfOperation* values = nullptr);

}  // namespace traced
