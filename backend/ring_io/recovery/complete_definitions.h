// Makes a payload that was built from what a ring still had decode alone.

#pragma once

#include "ring_io/recovery/written_stream.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// Adds the definitions that the payload's rows name and that are only in
// earlier chunks of their stream. What is nowhere stays undefined.
void completeDefinitions(v1::Payload& payload, WrittenStream& stream);

}  // namespace traced
