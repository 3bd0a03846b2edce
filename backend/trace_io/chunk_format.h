// Defines the framing of a chunk, for its writer and its reader. See
// docs/reference/format.md, "Chunks".

#pragma once

#include <cstddef>
#include <cstdint>

namespace traced {

// The Header.schema that this version writes, and the only one that it reads.
inline constexpr std::uint32_t kSchema = 2;

inline constexpr std::uint64_t kChunkSync = 0x8A17ACED0D0A1AFEull;

// Tags of the fields at fixed offsets: Trace.chunk, Chunk.sync, Chunk.checksum
// and Chunk.size.
inline constexpr std::uint8_t kTagChunk = 0x0A;
inline constexpr std::uint8_t kTagSync = 0x09;
inline constexpr std::uint8_t kTagChecksum = 0x11;
inline constexpr std::uint8_t kTagSize = 0x1D;

// Offsets from the tag of Chunk.sync: the tag of the checksum, the start of the
// checksummed bytes (the tag of `size`), and the other fields.
inline constexpr std::size_t kChecksumOffset = 9;
inline constexpr std::size_t kCheckedOffset = 18;
inline constexpr std::size_t kChunkPrefixBytes = 23;

// Upper bounds that a reader accepts, so that a hostile file cannot force
// larger allocations.
inline constexpr std::size_t kMaxChunkBytes = std::size_t{256} << 20;
inline constexpr std::size_t kMaxPayloadBytes = std::size_t{256} << 20;

}  // namespace traced
