// Completes a payload that was built from a ring, so that it can be decoded
// without earlier chunks.

#pragma once

#include "ring_io/recovery/written_stream.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// Adds the definitions that the payload's rows use and that only earlier chunks
// of the stream contain. Definitions that are in no chunk stay missing.
void completeDefinitions(v1::Payload& payload, WrittenStream& stream);

}  // namespace traced
