#include "fuzz/trace_mutator.h"

#include <zstd.h>

#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "fuzz/target.h"
#include "support/reframe.h"
#include "trace_io/chunk_scanner.h"

namespace traced::testing {
namespace {

constexpr std::size_t kMaxUnpacked = std::size_t{1} << 20;

struct Place {
  std::size_t begin;
  std::size_t body;
  std::size_t end;
};

std::vector<Place> chunksOf(std::string_view bytes) {
  std::vector<Place> places;
  MemorySource source(bytes);
  ChunkScanner scanner(source);
  while (const auto chunk = scanner.next()) {
    places.push_back({chunk->offset, chunk->body_offset,
                      chunk->body_offset + chunk->body.size()});
  }
  return places;
}

std::string mutated(std::string bytes) {
  const std::size_t size = bytes.size();
  bytes.resize(2 * size + 64);
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()),
                                size, bytes.size()));
  return bytes;
}

std::optional<std::string> unpacked(const v1::Chunk& chunk) {
  if (chunk.compression() != v1::COMPRESSION_ZSTD) return chunk.payload();
  if (chunk.payload_bytes() > kMaxUnpacked) return std::nullopt;
  std::string raw(chunk.payload_bytes(), '\0');
  const std::size_t got = ZSTD_decompress(
      raw.data(), raw.size(), chunk.payload().data(), chunk.payload().size());
  if (ZSTD_isError(got)) return std::nullopt;
  raw.resize(got);
  return raw;
}

void pack(v1::Chunk& chunk, const std::string& raw, bool compress) {
  chunk.set_payload_bytes(raw.size());
  chunk.set_compression(v1::COMPRESSION_NONE);
  chunk.set_payload(raw);
  if (!compress) return;
  std::string packed(ZSTD_compressBound(raw.size()), '\0');
  packed.resize(
      ZSTD_compress(packed.data(), packed.size(), raw.data(), raw.size(), 1));
  chunk.set_compression(v1::COMPRESSION_ZSTD);
  chunk.set_payload(packed);
}

// Returns the chunk with a change in its payload, in its other fields, or in
// its compressed form.
std::string changed(v1::Chunk chunk, std::minstd_rand& random) {
  switch (random() % 4) {
    case 0: {
      const std::string payload = chunk.payload();
      chunk.clear_payload();
      const std::string fields = mutated(chunk.SerializeAsString());
      if (!chunk.ParseFromString(fields)) return framed(chunk);
      chunk.set_payload(payload);
      return framed(chunk);
    }
    case 1:
      chunk.set_payload(mutated(chunk.payload()));
      return framed(chunk);
    default:
      if (const auto raw = unpacked(chunk)) {
        pack(chunk, mutated(*raw), random() % 2 == 0);
      }
      return framed(chunk);
  }
}

}  // namespace

std::size_t mutateTrace(std::uint8_t* data, std::size_t size,
                        std::size_t max_size, unsigned seed) {
  std::minstd_rand random(seed);
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::vector<Place> places = chunksOf(bytes);
  if (places.empty() || random() % 8 == 0) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  const Place& place = places[random() % places.size()];
  v1::Chunk chunk;
  if (!chunk.ParseFromString(
          bytes.substr(place.body, place.end - place.body))) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  const bool twice = random() % 8 == 0;
  const std::string result = bytes.substr(0, twice ? place.end : place.begin) +
                             changed(std::move(chunk), random) +
                             bytes.substr(place.end);
  if (result.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, result.data(), result.size());
  return result.size();
}

}  // namespace traced::testing
