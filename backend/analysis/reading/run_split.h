// RunSplit tells which of some streams are of one run: that of the newest of
// them. What is left over may be split again.

#pragma once

#include <cstddef>
#include <vector>

#include "analysis/reading/stream_end.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// Indices into TraceSet::streams, sorted as these.
struct RunSplit {
  // Of each rank the one that started last.
  std::vector<std::size_t> run;
  // The others: of another job, attempt or number of ranks, or those that met
  // elsewhere;
  std::vector<std::size_t> elsewhere;
  // those that had ended before the newest began;
  std::vector<std::size_t> earlier;
  // those of a rank with a later one;
  std::vector<std::size_t> older;
  // and such that went on beside that later one. Each may be of the run in its
  // place, unless `beside_began_first`: they have all ranks as the run does,
  // and all of the run began after all of these.
  std::vector<std::size_t> beside;
  bool beside_began_first = false;

  // All but the run.
  std::vector<std::size_t> others() const;
};

// `streams` is not empty and sorted. `ends` are those of the set's streams.
RunSplit splitNewestRun(const TraceSet& set, std::vector<std::size_t> streams,
                        StreamEnds& ends);

}  // namespace traced
