// ChunkCopier copies chunks of a set to another file, byte for byte.

#pragma once

#include <cstdint>
#include <ostream>

#include "analysis/reading/stream_loader.h"
#include "analysis/reading/trace_set.h"
#include "base/result.h"

namespace traced {

// Memory: one chunk. The set must outlive it.
class ChunkCopier {
 public:
  explicit ChunkCopier(const TraceSet& set) : set_(set), loader_(set) {}

  // How many bytes it wrote; whether the stream took them is the stream's to
  // tell. An Error if the chunk is no longer as it was.
  Result<std::uint64_t> copy(const ChunkRef& chunk, std::ostream& out);

 private:
  const TraceSet& set_;
  StreamLoader loader_;
};

}  // namespace traced
