// Converts a Flight Recorder dump to the header and table of a stream, as used
// by every command. See docs/use/flight_recorder.md.

#pragma once

#include <cstdint>

#include "analysis/flight_recorder/dump.h"
#include "analysis/stream/stream_table.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// Returns the header of a dump as a stream of `rank`. Its times are those of
// the wall clock, in nanoseconds. `stream_id` may be any number unique among
// dumps.
v1::Header headerOfDump(const Dump& dump, std::uint32_t rank,
                        std::uint64_t stream_id);

// Returns the operations of a dump as a table. `header`: from headerOfDump().
// Leaves out entries without a creation time. Data that the dump lacks is
// absent: returns, waits and releases of calls, and ends that were not
// discovered. The sequence number of a send or receive is 0 if its peer is
// unknown or records are missing. That of a batch of sends and receives is
// always 0.
StreamTable tableOfDump(const Dump& dump, const v1::Header& header);

}  // namespace traced
