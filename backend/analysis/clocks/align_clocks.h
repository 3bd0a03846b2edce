// Aligns the clocks of several hosts to one time line, using what their
// operations prove.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/clocks/clock_bounds.h"
#include "analysis/job/clock_warning.h"
#include "analysis/reading/stream_reader.h"
#include "analysis/reading/trace_set.h"
#include "traced/v1/clock.pb.h"

namespace traced {

struct AlignedClocks {
  // One per stream of the set, in the same order. Common time is the clock of
  // the first selected stream.
  std::vector<v1::ClockModel> models;
  // Clocks that stepped or could not be aligned.
  std::vector<ClockWarning> warnings;
};

// Returns a model for each stream's clock.
//
// Models stored in a merged file are used as they are if one merge covers all
// streams: each merge has its own time line. Nothing is read if all streams use
// one clock.
//
// Otherwise the selected streams are read, host by host. Each host is bounded
// by the operations it shares with hosts aligned before it: an end on one host
// proves starts on the other, and vice versa. The effort grows with the
// operations, not with the pairs of hosts. A host that is not bounded from both
// sides keeps its wall clock.
//
// Memory: a row per collective, and 32 bytes per operation of one host.
AlignedClocks alignClocks(const TraceSet& set,
                          std::uint64_t max_drift_ppb = kDefaultMaxDriftPpb);

// Reads the given streams of the set and passes them to the visitor in that
// order; see stream_reader.h.
using ShowStreams =
    std::function<void(const std::vector<std::size_t>&, const VisitStream&)>;

// Same, but reads streams through `show`.
AlignedClocks alignClocks(const TraceSet& set, const ShowStreams& show,
                          std::uint64_t max_drift_ppb);

// Callbacks while the streams of each host are read for the first time.
struct AlignmentObserver {
  // Called with the stream's index and its table. May move the table away.
  std::function<void(std::size_t, StreamTable&)> read;
  // Called after the last stream of a host. True if the models of that host are
  // final.
  std::function<void(bool)> settled;
};

// Same with callbacks. During a callback, `aligned` holds the models found so
// far.
void alignClocks(const TraceSet& set, std::size_t threads,
                 const AlignmentObserver& observer, AlignedClocks& aligned);

}  // namespace traced
