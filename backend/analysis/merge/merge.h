// Merging: the chunks of many streams in one file, byte for byte.

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

  // How many bytes it wrote; whether the stream took them is the stream's to
  // tell. An Error if the chunk is no longer as it was.
  Result<std::uint64_t> copy(const ChunkRef& chunk, std::ostream& out);

 private:
  const TraceSet& set_;
  StreamLoader loader_;
};

struct MergeResult {
  std::uint64_t streams = 0;
  std::uint64_t chunks = 0;
  std::uint64_t bytes = 0;
  // About clocks that stepped or could not be aligned, in words.
  std::vector<std::string> clock_warnings;
};

// Puts a warning into words: a merged file has them as text.
using ClockWords = std::function<std::string(const ClockWarning&)>;

// Writes all streams of `set` but Flight Recorder dumps, not only the selected
// ones, and a Merge that tells of their clocks and of what was wrong with the
// inputs. The file appears under `path` once it is complete. Memory: one chunk.
// `version` is that of the program that merges.
Result<MergeResult> writeMerged(const TraceSet& set, const std::string& path,
                                Existing existing, const std::string& version,
                                const ClockWords& clock_words,
                                const ReadProgress& progress = {});

}  // namespace traced
