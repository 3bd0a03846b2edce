// ChunkEncoder turns a payload into the bytes to append to a trace file.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

struct ZSTD_CCtx_s;

namespace traced::v1 {
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
  explicit ChunkEncoder(int zstd_level = 1);

  // One framed chunk, valid until the next call. It is stored as it is where a
  // reader would not believe how little is left of it; "" where none would take
  // even that.
  const std::string& encode(const v1::Payload& payload, const ChunkSpan& span);

 private:
  struct FreeContext {
    void operator()(ZSTD_CCtx_s* context) const;
  };

  // Fills packed_; false when there is nothing to gain, or no memory.
  bool compress();
  void frame(const std::string& fields);

  const int zstd_level_;
  // Absent at level 0, and without memory.
  std::unique_ptr<ZSTD_CCtx_s, FreeContext> compressor_;

  std::string raw_;
  std::string packed_;
  std::string framed_;
};

}  // namespace traced
