// Reads streams and aligns their clocks, in one pass if the streams are small.

#pragma once

#include <cstddef>
#include <functional>

#include "analysis/clocks/align_clocks.h"
#include "analysis/reading/trace_set.h"
#include "analysis/stream/stream_table.h"
#include "traced/v1/clock.pb.h"

namespace traced {

// Receives the index into TraceSet::streams, the table and the final model of
// its clock. May move the table away.
using VisitAligned =
    std::function<void(std::size_t, StreamTable&, const v1::ClockModel&)>;

// Calls `visit` for each selected stream, in order and one at a time, while
// other streams are loaded. Alignment needs no second read if the tables of a
// host fit a memory limit and each host has consecutive ranks.
AlignedClocks readAligned(const TraceSet& set, std::size_t threads,
                          const VisitAligned& visit);

// Data that a caller keeps of a stream until its clock is aligned: its size in
// bytes, and a callback that receives the final model.
struct KeptOfStream {
  std::size_t bytes = 0;
  std::function<void(const v1::ClockModel&)> show;
};
using KeepOfStream =
    std::function<KeptOfStream(std::size_t, const StreamTable&)>;

// Same for callers that need little of a stream. Calls keep(i, table) when a
// stream is read, and its `show` with the final clock model, each in the order
// of the selected streams. If a host needs more than `most_bytes`, its streams
// and all later ones are read again, and keep() is called for them a second
// time.
AlignedClocks readAligned(const TraceSet& set, std::size_t threads,
                          std::size_t most_bytes, const KeepOfStream& keep);

// Same for callers that do not need the clock yet. Visits each stream once,
// when it is first read. Streams are read again only if hosts do not have
// consecutive ranks.
AlignedClocks readAndAlign(const TraceSet& set, std::size_t threads,
                           const VisitStream& visit);

}  // namespace traced
