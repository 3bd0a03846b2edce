#include "trace_io/chunk_encoder.h"

#include <zstd.h>

#include <cstring>

#include "trace_io/chunk_format.h"
#include "trace_io/payload_guard.h"
#include "trace_io/rows.h"
#include "trace_io/varint.h"
#include "traced/v1/trace.pb.h"
#include "xxhash.h"

namespace traced {
namespace {

template <typename T>
void appendFixed(std::string& out, std::uint8_t tag, T value) {
  out.push_back(static_cast<char>(tag));
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));  // x86-64 and aarch64: little endian
  out.append(bytes, sizeof(T));
}

}  // namespace

void ChunkEncoder::FreeContext::operator()(ZSTD_CCtx_s* context) const {
  ZSTD_freeCCtx(context);
}

ChunkEncoder::ChunkEncoder(int zstd_level)
    : zstd_level_(zstd_level),
      compressor_(zstd_level ? ZSTD_createCCtx() : nullptr) {}

bool ChunkEncoder::compress() {
  if (!compressor_) return false;
  packed_.resize(ZSTD_compressBound(raw_.size()));
  const std::size_t bytes =
      ZSTD_compressCCtx(compressor_.get(), packed_.data(), packed_.size(),
                        raw_.data(), raw_.size(), zstd_level_);
  if (ZSTD_isError(bytes) || bytes >= raw_.size()) return false;
  packed_.resize(bytes);
  return true;
}

const std::string& ChunkEncoder::encode(const v1::Payload& payload,
                                        const ChunkSpan& span) {
  payload.SerializeToString(&raw_);
  const std::uint64_t rows = rowCount(payload);
  const bool packed =
      compress() && isReadableAnywhere(raw_, rows, packed_.size());
  framed_.clear();
  if (!packed && !isReadableAnywhere(raw_, rows, raw_.size())) return framed_;

  v1::Chunk chunk;
  chunk.set_compression(packed ? v1::COMPRESSION_ZSTD : v1::COMPRESSION_NONE);
  chunk.set_payload_bytes(raw_.size());
  chunk.set_stream_id(span.stream_id);
  chunk.set_first_position(span.first_position);
  chunk.set_end_position(span.end_position);
  chunk.set_payload(packed ? packed_ : raw_);
  frame(chunk.SerializeAsString());
  return framed_;
}

void ChunkEncoder::frame(const std::string& fields) {
  framed_.push_back(static_cast<char>(kTagChunk));
  appendVarint(framed_, kChunkPrefixBytes + fields.size());
  const std::size_t start = framed_.size();
  appendFixed(framed_, kTagSync, kChunkSync);
  appendFixed(framed_, kTagChecksum, std::uint64_t{0});
  appendFixed(framed_, kTagSize, static_cast<std::uint32_t>(fields.size()));
  framed_ += fields;

  const std::uint64_t checksum =
      XXH3_64bits(framed_.data() + start + kCheckedOffset,
                  framed_.size() - start - kCheckedOffset);
  std::memcpy(framed_.data() + start + kChecksumOffset + 1, &checksum,
              sizeof checksum);
}

}  // namespace traced
