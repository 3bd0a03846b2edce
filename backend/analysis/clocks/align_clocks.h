// Puts the clocks of several hosts on one time line, by what their operations
// prove.

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
  // One per stream of the set, in their order. The common time line is the
  // clock of the first selected stream.
  std::vector<v1::ClockModel> models;
  // About clocks that stepped or could not be aligned.
  std::vector<ClockWarning> warnings;
};

// Models that a merged file brought along are taken as they are, where one
// merge has all streams: each merge has a time line of its own. Streams that
// read one clock are not read at all. Else the selected streams are read, host
// by host: each is bounded by the operations it shares with hosts that were
// aligned before, whose ends prove starts on it and the other way round. So the
// effort grows with the operations and not with the pairs of hosts. Hosts that
// nothing bounds from both sides stay with their wall clocks.
//
// Memory: a row per collective, and 32 bytes per operation of one host.
AlignedClocks alignClocks(const TraceSet& set,
                          std::uint64_t max_drift_ppb = kDefaultMaxDriftPpb);

// Shows streams of the set, in their order; see stream_reader.h.
using ShowStreams =
    std::function<void(const std::vector<std::size_t>&, const VisitStream&)>;

// The same with streams that come from `show`.
AlignedClocks alignClocks(const TraceSet& set, const ShowStreams& show,
                          std::uint64_t max_drift_ppb);

// What happens as the streams of each host are read for the first time.
struct AlignmentObserver {
  // A stream was read, and its table may be taken.
  std::function<void(std::size_t, StreamTable&)> read;
  // All of a host were: whether their models are final now.
  std::function<void(bool)> settled;
};

// The same as it goes on: `aligned` has the models so far.
void alignClocks(const TraceSet& set, std::size_t threads,
                 const AlignmentObserver& observer, AlignedClocks& aligned);

}  // namespace traced
