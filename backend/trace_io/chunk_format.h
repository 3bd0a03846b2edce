// The framing of a chunk, shared by its writer and its reader. Described in
// docs/reference/format.md, "Chunks".

#pragma once

#include <cstddef>
#include <cstdint>

namespace traced {

// Header.schema of what this version writes, and the only one that it reads.
inline constexpr std::uint32_t kSchema = 2;

inline constexpr std::uint64_t kChunkSync = 0x8A17ACED0D0A1AFEull;

// Tags of the fields with a fixed place: Trace.chunk, then Chunk.sync,
// Chunk.checksum and Chunk.size.
inline constexpr std::uint8_t kTagChunk = 0x0A;
inline constexpr std::uint8_t kTagSync = 0x09;
inline constexpr std::uint8_t kTagChecksum = 0x11;
inline constexpr std::uint8_t kTagSize = 0x1D;

// From the tag of Chunk.sync: where the checksum's tag is, where the bytes it
// covers begin (the tag of `size`), and where the other fields begin.
inline constexpr std::size_t kChecksumOffset = 9;
inline constexpr std::size_t kCheckedOffset = 18;
inline constexpr std::size_t kChunkPrefixBytes = 23;

// What a reader accepts, so that a hostile file cannot make it allocate more.
inline constexpr std::size_t kMaxChunkBytes = std::size_t{256} << 20;
inline constexpr std::size_t kMaxPayloadBytes = std::size_t{256} << 20;

}  // namespace traced
