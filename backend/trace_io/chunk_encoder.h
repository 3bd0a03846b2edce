// ChunkEncoder turns a payload into the bytes to append to a trace file.

#pragma once

#include <cstdint>
#include <string>

#include "trace_io/column_compressor.h"

namespace traced::v1 {
class DigestOf;
class Payload;
}  // namespace traced::v1

namespace traced {

// Which records a chunk holds; see Chunk in trace.proto.
struct ChunkSpan {
  std::uint64_t stream_id = 0;
  std::uint64_t first_position = 0;
  std::uint64_t end_position = 0;
};

// Not thread safe: the compressor's memory is reused from chunk to chunk.
class ChunkEncoder {
 public:
  // zstd level; 0 writes the payload uncompressed.
  explicit ChunkEncoder(int zstd_level = 1) : compressor_(zstd_level) {}

  // One framed chunk, valid until the next call. It is stored as it is where a
  // reader would not believe how little is left of it; "" where none would take
  // even that.
  // `digest_of`: whose digest the payload has.
  const std::string& encode(const v1::Payload& payload, const ChunkSpan& span,
                            const v1::DigestOf* digest_of = nullptr);

 private:
  ColumnCompressor compressor_;
  void frame(const std::string& fields);

  std::string raw_;
  std::string packed_;
  std::string framed_;
};

}  // namespace traced
