// Loads only the first or last rows of a run, for commands that show few rows
// of a run of any length.

#pragma once

#include <cstddef>
#include <optional>

#include "analysis/match/loaded_run.h"
#include "analysis/match/match.h"
#include "analysis/match/match_entry.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// The first or last operations of each rank. A coalesced batch is kept whole or
// not at all.
struct PartToLoad {
  enum class End { kFirst, kLast };

  End end = End::kFirst;
  // Minimum number per rank.
  std::size_t operations = 0;
};

struct LoadedPart {
  LoadedRun run;
  // Operations that pass the filter but are not in `run`.
  NotKept not_kept;
};

// Loads a part of the selected streams, limited to the filter's ranks and
// groups. Batches always pass the group filter, because they may span several.
// Loads everything if numbers do not pair all messages: pairing then needs all
// of them.
LoadedPart loadPart(const TraceSet& set, const PartToLoad& part,
                    const MatchFilter& filter = {});

struct RowsWanted {
  PartToLoad::End end = PartToLoad::End::kFirst;
  std::size_t rows = 0;
};

// Returns whether the wanted rows are in the table and certainly equal those at
// that end of the whole run.
bool rowsAreKnown(const MatchTable& table, const NotKept& not_kept,
                  const RowsWanted& wanted);

class RowsAtEnd {
 public:
  // Loads an estimated sufficient part of each rank, or everything without
  // `wanted`. With `wanted`, the filter must have no window, scope or operation
  // names. Those count what they leave out, and test any part of a row. `set`
  // and everything that the filter refers to must outlive this object.
  RowsAtEnd(const TraceSet& set, std::optional<RowsWanted> wanted,
            MatchFilter filter);

  // Matches, and loads more until the wanted rows equal those of the whole run.
  // `fold`: combine groups of one role (row_groups.h).
  void match(bool fold);

  // The loaded part, its rows, and whether it is the whole run.
  const LoadedRun& run() const { return loaded_.run; }
  const MatchTable& table() const { return table_; }
  bool hasAll() const { return loaded_.not_kept.empty(); }

 private:
  void load();

  const TraceSet& set_;
  const std::optional<RowsWanted> wanted_;
  MatchFilter filter_;
  PartToLoad part_;
  LoadedPart loaded_;
  MatchTable table_;
};

}  // namespace traced
