// StreamLoader reads the streams of a TraceSet, one at a time. Allowance limits
// the memory they take.

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

// Allowance limits the memory of all chunks together. The decoder limits a
// single chunk. A file of many tiny chunks that each unpack to the maximum
// could still exhaust memory.
class Allowance {
 public:
  // Limits far above what recorders write: about three stored bytes per row,
  // and payloads of twice their stored size.
  static constexpr std::uint64_t kFreeRows = std::uint64_t{1} << 16;
  static constexpr std::uint64_t kRowsPerByte = kRowsPerStoredByte;
  static constexpr std::uint64_t kFreePayloadBytes = std::uint64_t{4} << 20;
  static constexpr std::uint64_t kPayloadPerByte = kPayloadPerStoredByte;

  // Accounts for a chunk. Returns false, without accounting for it, if the
  // chunk would exceed the limits.
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

  // Reads the chunks of a stream again and assembles them. Chunks count as
  // refused if they changed on disk, are invalid, or exceed the allowance. A
  // dump that changed counts as refused too.
  StreamTable load(const TraceStream& stream) {
    return load(stream, allowance_);
  }
  // Same with an allowance that loaders may share, but not concurrently.
  StreamTable load(const TraceStream& stream, Allowance& allowance);

  // Takes back the memory of a table for the next one.
  void recycle(StreamTable&& table) {
    rooms_.push_back(std::move(table.operations));
  }

  // Returns the body of a chunk, valid until the next body() or load(). Returns
  // "" if it cannot be read or its checksum is wrong.
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
