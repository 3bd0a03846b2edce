// Reads streams and aligns their clocks, in one go where they are small.

#pragma once

#include <cstddef>
#include <functional>

#include "analysis/clocks/align_clocks.h"
#include "analysis/reading/trace_set.h"
#include "analysis/stream/stream_table.h"
#include "traced/v1/clock.pb.h"

namespace traced {

// Is shown a stream of TraceSet::streams, by its index, with the final model of
// its clock, and may take the table.
using VisitAligned =
    std::function<void(std::size_t, StreamTable&, const v1::ClockModel&)>;

// Calls visit for each selected stream, in their order and never two at once,
// while others are loaded. Streams that were read to align their clock are not
// read again for that as long as those of a host fit some memory and hosts
// follow each other in the order of their ranks.
AlignedClocks readAligned(const TraceSet& set, std::size_t threads,
                          const VisitAligned& visit);

// What is kept of a stream until its clock is aligned: how much memory that
// takes, and what is called then.
struct KeptOfStream {
  std::size_t bytes = 0;
  std::function<void(const v1::ClockModel&)> show;
};
using KeepOfStream =
    std::function<KeptOfStream(std::size_t, const StreamTable&)>;

// The same for who needs little of a stream: keep(i, table) is called for each
// as it is read, and what it returned with the final model of its clock, each
// in the order of the selected streams. Of a host that takes more than
// `most_bytes`, and of those behind it, all is read twice and kept once.
AlignedClocks readAligned(const TraceSet& set, std::size_t threads,
                          std::size_t most_bytes, const KeepOfStream& keep);

// The same for who has no need of the clock yet: each stream is shown once, as
// it is read for the first time, and read again only where hosts do not follow
// each other in the order of their ranks.
AlignedClocks readAndAlign(const TraceSet& set, std::size_t threads,
                           const VisitStream& visit);

}  // namespace traced
