// Packing: what a node has of a job, in files that never change again.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/pack/packed_chunks.h"
#include "analysis/reading/trace_set.h"
#include "base/result.h"

namespace traced {

struct Pack {
  std::string path;
  std::uint64_t streams = 0;
  std::uint64_t chunks = 0;
  std::uint64_t bytes = 0;
};

struct PackPlan {
  PackNames names;
  // Of a pack; one with a single chunk may have more.
  std::uint64_t max_bytes = 0;
  // Whether what was wrong with the inputs is told in the packs: a trace that
  // is being written may end in half a chunk that is whole a moment later.
  bool tells_damage = true;
  // That of the program that packs.
  std::string version;
};

// Writes the chunks of all streams but Flight Recorder dumps that `packed` does
// not have; no file where there are none. Each file appears under its name once
// it is complete; an Error leaves those before it. Memory: one chunk.
Result<std::vector<Pack>> writePacks(const TraceSet& set,
                                     const PackedChunks& packed,
                                     const PackPlan& plan,
                                     const ReadProgress& progress = {});

}  // namespace traced
