// ChunkDecoder decodes the body of a verified chunk into its payload. It
// refuses payloads that would take more memory than an honest chunk can.

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
  // The content is invalid or too large. The chunk's bytes are unusable.
  kRefused,
  // The compression is unknown to this reader. Skip the chunk.
  kUnknownCompression,
};

// Not thread safe: buffers are reused between chunks.
class ChunkDecoder {
 public:
  ChunkDecoder();
  ~ChunkDecoder();
  ChunkDecoder(const ChunkDecoder&) = delete;
  ChunkDecoder& operator=(const ChunkDecoder&) = delete;

  // Parses the fields of a chunk but not its payload. `chunk()` is valid until
  // the next call.
  DecodeStatus parse(std::string_view body);
  const v1::Chunk& chunk() const { return chunk_; }

  // Decompresses and parses the payload of the chunk parsed last. `payload()`
  // is valid until the next call and may be moved from.
  DecodeStatus decode();
  v1::Payload& payload() { return payload_; }

  // Reads the header of the payload of the chunk parsed last. Returns false if
  // the payload cannot be decoded.
  // If the header is the first field, as a recorder writes it, the rest stays
  // unread. `maps` then receives the header's maps (labels, settings and
  // library versions) in serialized form, because few readers need them.
  // Otherwise `header` has the maps, and `maps` is empty.
  bool decodeHeader(v1::Header& header, std::string& maps);

  // Does the work of decode() in a fraction of the time, because the rows stay
  // in stored form. rows() reads them and is valid until the next call.
  // payload() lacks the rows and the header.
  // If the payload differs from what a recorder writes, rows() returns nullptr
  // and payload() is complete.
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
  // The payload without its rows.
  std::string rest_;
};

}  // namespace traced
