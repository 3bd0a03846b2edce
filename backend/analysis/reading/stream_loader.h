// StreamLoader reads the streams of a TraceSet, one at a time.

#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/reading/allowance.h"
#include "analysis/reading/trace_set.h"
#include "analysis/stream/stream_table.h"
#include "trace_io/byte_source.h"
#include "trace_io/chunk_decoder.h"

namespace traced {

// Not thread safe. The set must outlive the loader.
class StreamLoader {
 public:
  explicit StreamLoader(const TraceSet& set) : set_(set) {}

  // Reads the chunks of a stream once more and assembles them. A chunk that
  // has changed on disk meanwhile, is refused, or holds out of all proportion
  // to its size, counts as refused; so does a dump that has changed.
  StreamTable load(const TraceStream& stream) {
    return load(stream, allowance_);
  }
  // With an allowance that is shared with other loaders, but never at once.
  StreamTable load(const TraceStream& stream, Allowance& allowance);

  // Takes back what a table was made of, for the next one.
  void recycle(StreamTable&& table) {
    rooms_.push_back(std::move(table.operations));
  }

  // The body of a chunk, valid until the next call. Empty when it can no longer
  // be read as it was.
  std::string_view body(const ChunkRef& chunk);

 private:
  StreamTable loadDumpOf(const TraceStream& stream) const;
  std::vector<AssembledOperation> takeRoom();
  DecodeStatus decode(const ChunkRef& chunk, Allowance& allowance);

  const TraceSet& set_;
  ChunkDecoder decoder_;
  Allowance allowance_;
  std::vector<std::vector<AssembledOperation>> rooms_;
  // The file read last.
  std::unique_ptr<FileSource> source_;
  std::uint32_t source_file_ = 0;
};

}  // namespace traced
