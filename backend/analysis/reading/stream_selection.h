// Which streams of a set are looked at: a directory often holds older runs too.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/reading/trace_set.h"
#include "base/result.h"

namespace traced {

// Fills `selected` with one stream per rank: those of the run that the newest
// stream belongs to (same job, attempt and world size, and nothing against it:
// see same_run.h), and of each rank the stream started last. Where there are
// traces, Flight Recorder dumps are left out: they tell less of the same. A
// stream of an unknown schema is never selected. Says in `selection_warnings`
// what was left out.
void selectStreams(TraceSet& set);

// Which run of several is asked about, where the newest is not.
struct RunChoice {
  // Of the job of the newest stream.
  std::optional<std::uint32_t> attempt = std::nullopt;
};

// Leaves out the streams of other attempts and jobs. An Error names the
// attempts that there are instead.
Result<TraceSet> chooseRun(TraceSet set, const RunChoice& choice);

// The latest chunks that have so many bytes together, at least the last one.
std::vector<ChunkRef> latestChunks(const std::vector<ChunkRef>& chunks,
                                   std::uint64_t bytes);

// Leaves out the first chunks of streams that are longer than so many bytes. It
// is as if retention had deleted them: no loss, and sequence numbers tell what
// belongs together.
void keepLatest(TraceSet& set, std::uint64_t bytes_per_stream);

}  // namespace traced
