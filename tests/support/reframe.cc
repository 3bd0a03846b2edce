#include "support/reframe.h"

#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <utility>

#include "trace_io/chunk_format.h"
#include "trace_io/chunk_scanner.h"
#include "xxhash.h"

namespace traced::testing {

std::string framed(v1::Chunk chunk) {
  chunk.clear_sync();
  chunk.clear_checksum();
  chunk.clear_size();
  const std::string fields = chunk.SerializeAsString();
  const auto size = static_cast<std::uint32_t>(fields.size());

  std::string body(kChunkPrefixBytes, '\0');
  body[0] = static_cast<char>(kTagSync);
  std::memcpy(body.data() + 1, &kChunkSync, sizeof kChunkSync);
  body[kChecksumOffset] = static_cast<char>(kTagChecksum);
  body[kCheckedOffset] = static_cast<char>(kTagSize);
  std::memcpy(body.data() + kCheckedOffset + 1, &size, sizeof size);
  body += fields;
  const std::uint64_t checksum =
      XXH3_64bits(body.data() + kCheckedOffset, body.size() - kCheckedOffset);
  std::memcpy(body.data() + kChecksumOffset + 1, &checksum, sizeof checksum);
  return chunkFraming(body.size()) + body;
}

std::string compressed(const std::string& whole) {
  v1::Chunk chunk;
  chunk.ParseFromString(whole.substr(whole.find('\x09')));
  const std::string& payload = chunk.payload();
  std::string packed(ZSTD_compressBound(payload.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), payload.data(),
                              payload.size(), 1));
  chunk.set_payload(packed);
  chunk.set_compression(v1::COMPRESSION_ZSTD);
  return framed(std::move(chunk));
}

std::string withCompression(const std::string& whole, int compression) {
  v1::Chunk chunk;
  chunk.ParseFromString(whole.substr(whole.find('\x09')));
  chunk.set_compression(static_cast<v1::Compression>(compression));
  return framed(std::move(chunk));
}

}  // namespace traced::testing
