// ChunkDecoder turns the body of a verified chunk into its payload, and refuses
// what would cost more memory than an honest chunk can.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "trace_io/packed_rows.h"
#include "traced/v1/trace.pb.h"

namespace traced {

enum class DecodeStatus {
  kOk,
  // Says something impossible or too large; its bytes are unusable.
  kRefused,
  // Compressed in a way this reader does not know; to be skipped.
  kUnknownCompression,
};

// Not thread safe: buffers are reused from chunk to chunk.
class ChunkDecoder {
 public:
  ChunkDecoder();
  ~ChunkDecoder();
  ChunkDecoder(const ChunkDecoder&) = delete;
  ChunkDecoder& operator=(const ChunkDecoder&) = delete;

  // Reads the fields of a chunk, without looking into its payload. `chunk()`
  // holds them until the next call.
  DecodeStatus parse(std::string_view body);
  const v1::Chunk& chunk() const { return chunk_; }

  // Decompresses and reads the payload of the chunk parsed last. `payload()`
  // holds it until the next call; it may be moved from.
  DecodeStatus decode();
  v1::Payload& payload() { return payload_; }

  // The header of that payload, with the rest unread where it comes first, as a
  // recorder writes it. False when there is none that can be had.
  // Of a chunk as a recorder writes it, what maps texts to texts (labels,
  // settings and versions of libraries) is left in `maps`, serialized: a reader
  // of many streams rarely asks for it.
  bool decodeHeader(v1::Header& header, std::string& maps);

  // As decode(), in a fraction of the time, but leaves the rows as they are
  // stored: those that rows() has are missing in payload(), and so may be the
  // header. nullptr where a chunk is not as a recorder writes it; its rows are
  // in payload() then.
  DecodeStatus decodePacked();
  PackedRows* rows() { return is_packed_ ? &rows_ : nullptr; }

 private:
  struct Decompressor;

  bool decodeHead(v1::Header& header, std::string& maps);
  DecodeStatus unpack(std::string_view& raw);
  DecodeStatus parsePayload(std::string_view bytes);

  std::unique_ptr<Decompressor> decompressor_;
  v1::Chunk chunk_;
  v1::Payload payload_;
  PackedRows rows_;
  bool is_packed_ = false;
  // Of the payload, but for its rows.
  std::string rest_;
};

}  // namespace traced
