// One end of a run in memory, for who shows few rows of a run of any length.

#pragma once

#include <cstddef>

#include "analysis/match/loaded_run.h"
#include "analysis/match/match.h"
#include "analysis/match/not_kept.h"
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

}  // namespace traced
