// Selects the streams to read. A directory often contains older runs too.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/reading/trace_set.h"
#include "base/result.h"

namespace traced {

// Sets `selected` to one stream per rank: the run of the newest stream (same
// job, attempt and world size, and no contradiction, see same_run.h), and the
// latest stream of each rank. Flight Recorder dumps are used only if no traces
// exist, because they contain less. Streams of an unknown schema are never
// selected. Adds a warning to `selection_warnings` for streams left out.
void selectStreams(TraceSet& set);

// Selects a run other than the newest.
struct RunChoice {
  // Attempt of the newest stream's job.
  std::optional<std::uint32_t> attempt = std::nullopt;
};

// Removes the streams of other attempts and jobs. Fails if no such attempt
// exists; the Error lists the existing ones.
Result<TraceSet> chooseRun(TraceSet set, const RunChoice& choice);

// Returns the latest chunks with at most `bytes` bytes in total, but at least
// the last one.
std::vector<ChunkRef> latestChunks(const std::vector<ChunkRef>& chunks,
                                   std::uint64_t bytes);

// Drops the first chunks of streams longer than `bytes_per_stream`. Not counted
// as a loss: the effect is that of retention. Sequence numbers still match
// operations.
void keepLatest(TraceSet& set, std::uint64_t bytes_per_stream);

}  // namespace traced
