// From a Flight Recorder dump to what every command reads: the header of its
// stream, and its table. See docs/use/flight_recorder.md.

#pragma once

#include <cstdint>

#include "analysis/flight_recorder/dump.h"
#include "analysis/stream/stream_table.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// The clock of the stream is the wall clock. `stream_id` is any number that
// tells this dump from others.
v1::Header headerOfDump(const Dump& dump, std::uint32_t rank,
                        std::uint64_t stream_id);

// What the dump does not tell stays absent: calls have no return, no wait and
// no release, an end only where one was discovered.
StreamTable tableOfDump(const Dump& dump, const v1::Header& header);

}  // namespace traced
