// A window on a run: the latest chunks of each stream. Who looks at a running
// job again and again need not read all of it each time.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/reading/trace_set.h"

namespace traced {

// The latest chunks that have so many bytes together, at least the last one.
std::vector<ChunkRef> latestChunks(const std::vector<ChunkRef>& chunks,
                                   std::uint64_t bytes);

// Leaves out the first chunks of streams that are longer than so many bytes. It
// is as if retention had deleted them: no loss, and sequence numbers tell what
// belongs together.
void keepLatest(TraceSet& set, std::uint64_t bytes_per_stream);

}  // namespace traced
