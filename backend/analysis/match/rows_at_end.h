// The first or the last rows of a run, for who shows few rows of a run of any
// length.

#pragma once

#include <cstddef>
#include <optional>

#include "analysis/match/loaded_run.h"
#include "analysis/match/match.h"
#include "analysis/match/match_entry.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// The first or the last operations of each rank. A coalesced batch is kept
// whole, or not at all.
struct PartToLoad {
  enum class End { kFirst, kLast };

  End end = End::kFirst;
  // Of each rank, at least.
  std::size_t operations = 0;
};

struct LoadedPart {
  LoadedRun run;
  // Of what the filter lets pass.
  NotKept not_kept;
};

// Loads that of the selected streams: of the ranks and groups of the filter,
// and of batches, which may be of several. All where messages are not paired by
// their numbers, as who took which follows from all of them.
LoadedPart loadPart(const TraceSet& set, const PartToLoad& part,
                    const MatchFilter& filter = {});

struct RowsWanted {
  PartToLoad::End end = PartToLoad::End::kFirst;
  std::size_t rows = 0;
};

// Whether the rows wanted are in the table and known to be those at the end of
// the whole run.
bool rowsAreKnown(const MatchTable& table, const NotKept& not_kept,
                  const RowsWanted& wanted);

class RowsAtEnd {
 public:
  // Loads of each rank what should do; all where no number of rows is wanted.
  // If one is, the filter has no window, no scope and no names of operations:
  // what these leave out is counted, and rows are told by any part. `set` and
  // what the filter refers to outlive it.
  RowsAtEnd(const TraceSet& set, std::optional<RowsWanted> wanted,
            MatchFilter filter);

  // Matches, and loads more until the rows wanted are those of the whole run.
  // `fold`: groups of one role have rows together (row_groups.h).
  void match(bool fold);

  // What is loaded, the rows of it, and whether these are all that there are.
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
