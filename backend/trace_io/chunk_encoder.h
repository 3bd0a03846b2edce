// ChunkEncoder encodes a payload into the bytes to append to a trace file.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

struct ZSTD_CCtx_s;

namespace traced::v1 {
class Payload;
}  // namespace traced::v1

namespace traced {

// The range of records in a chunk. See Chunk in trace.proto.
struct ChunkSpan {
  std::uint64_t stream_id = 0;
  std::uint64_t first_position = 0;
  std::uint64_t end_position = 0;
};

// Not thread safe: the compressor's memory is reused between chunks.
class ChunkEncoder {
 public:
  // `zstd_level` 0 writes the payload uncompressed.
  explicit ChunkEncoder(int zstd_level = 1);

  // Returns one framed chunk, valid until the next call. The rows must be
  // finished: see finishRows().
  // Stores the payload uncompressed if a reader would refuse its compression
  // ratio. Returns "" if no reader would accept even that.
  const std::string& encode(const v1::Payload& payload, const ChunkSpan& span);

 private:
  struct FreeContext {
    void operator()(ZSTD_CCtx_s* context) const;
  };

  // Compresses raw_ into packed_. Returns false if compression gains nothing or
  // memory is short.
  bool compress();
  void frame(const std::string& fields);

  const int zstd_level_;
  // Null at level 0, and if the allocation failed.
  std::unique_ptr<ZSTD_CCtx_s, FreeContext> compressor_;

  std::string raw_;
  std::string packed_;
  std::string framed_;
};

}  // namespace traced
