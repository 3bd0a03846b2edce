// Merges the chunks of many streams into one file, byte for byte.

#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "analysis/job/clock_warning.h"
#include "analysis/merge/pending_file.h"
#include "analysis/reading/stream_loader.h"
#include "analysis/reading/trace_set.h"
#include "base/result.h"

namespace traced {

// ChunkCopier copies chunks of a set to another file, byte for byte.
//
// Memory: one chunk. The set must outlive it.
class ChunkCopier {
 public:
  explicit ChunkCopier(const TraceSet& set) : set_(set), loader_(set) {}

  // Writes a chunk of the set. Returns the number of bytes written. Fails if
  // the chunk changed since it was scanned. Does not report write errors: check
  // the state of `out`.
  Result<std::uint64_t> copy(const ChunkRef& chunk, std::ostream& out);

 private:
  const TraceSet& set_;
  StreamLoader loader_;
};

struct MergeResult {
  std::uint64_t streams = 0;
  std::uint64_t chunks = 0;
  std::uint64_t bytes = 0;
  // Clocks that stepped or could not be aligned, as text.
  std::vector<std::string> clock_warnings;
};

// Formats a clock warning. A merged file stores warnings as text.
using ClockWords = std::function<std::string(const ClockWarning&)>;

// Writes all streams of `set`, selected or not, except Flight Recorder dumps.
// Adds a Merge message with their clock models and the problems of the inputs.
// The file appears at `path` only when it is complete. Fails if `path` exists
// and must be kept, if it cannot be written, or if an input changed since it
// was scanned. Memory: one chunk. `version` is the version of the merging
// program. `progress` may be empty.
Result<MergeResult> writeMerged(const TraceSet& set, const std::string& path,
                                Existing existing, const std::string& version,
                                const ClockWords& clock_words,
                                const ReadProgress& progress = {});

}  // namespace traced
