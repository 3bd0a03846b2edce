// RunSplit separates the streams of the newest run from others. The others can
// be split again.

#pragma once

#include <cstddef>
#include <vector>

#include "analysis/reading/stream_end.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// Indices into TraceSet::streams, in ascending order.
struct RunSplit {
  // For each rank, the stream that started last.
  std::vector<std::size_t> run;
  // Streams of another job, attempt or world size, or with another rendezvous.
  std::vector<std::size_t> elsewhere;
  // Streams that had ended before the newest run began.
  std::vector<std::size_t> earlier;
  // Streams of a rank that has a later one.
  std::vector<std::size_t> older;
  // Streams that were still recording after a later stream of their rank began.
  // Each may belong to the run in place of that one. If `beside_began_first`,
  // they do not: they form a complete run of their own, all of which began
  // before this one.
  std::vector<std::size_t> beside;
  bool beside_began_first = false;

  // Returns all streams that are not in the run.
  std::vector<std::size_t> others() const;
};

// Splits off the run of the newest of `streams`, which must be sorted and not
// empty. `ends` must be those of `set`.
RunSplit splitNewestRun(const TraceSet& set, std::vector<std::size_t> streams,
                        StreamEnds& ends);

}  // namespace traced
