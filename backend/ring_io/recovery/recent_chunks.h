// The last chunks of a stream that is still being written.

#pragma once

#include <cstdint>
#include <string>

#include "ring_io/recovery/live_rings.h"

namespace traced {

// Those in the last `bytes` of the newest part of a trace, and of the part
// before it. Empty where there are none.
WrittenChunks recentChunks(const std::string& part_0, std::uint64_t stream_id,
                           std::uint64_t bytes);

}  // namespace traced
