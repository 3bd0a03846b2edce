// StreamLoader reads the streams of a TraceSet, one at a time. Allowance bounds
// what they become in memory.

#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/reading/trace_set.h"
#include "analysis/stream/stream_table.h"
#include "trace_io/byte_source.h"
#include "trace_io/chunk_decoder.h"
#include "trace_io/payload_guard.h"

namespace traced {

// Allowance bounds what all chunks together become in memory. A single one is
// bounded by its decoder, but a file of many tiny chunks, each of which unpacks
// to as much as one may, would still fill any memory.
class Allowance {
 public:
  // A row of a recorder takes about three bytes of the file, and its payload
  // twice what is stored of it. These are far beyond.
  static constexpr std::uint64_t kFreeRows = std::uint64_t{1} << 16;
  static constexpr std::uint64_t kRowsPerByte = kRowsPerStoredByte;
  static constexpr std::uint64_t kFreePayloadBytes = std::uint64_t{4} << 20;
  static constexpr std::uint64_t kPayloadPerByte = kPayloadPerStoredByte;

  // Whether a chunk of `stored_bytes` with so many rows may be added to all
  // those before. False leaves the account as it was.
  bool take(std::uint64_t stored_bytes, std::uint64_t payload_bytes,
            std::uint64_t rows);

 private:
  std::uint64_t stored_bytes_ = 0;
  std::uint64_t payload_bytes_ = 0;
  std::uint64_t rows_ = 0;
};

// StreamLoader reads the streams of a TraceSet, one at a time.
//
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
