// Bounds the memory that a few bytes of a hostile file can take.
//
// An empty definition takes 2 bytes in a file and a hundred when parsed. A
// column entry takes 1 byte and becomes 8, and zstd expands a byte to
// thousands. A recorder's payload takes about twice its stored size.
//
// A payload is refused before it is parsed if it is both large and far out of
// proportion to its stored size.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace traced {

// Payload bytes that are always accepted, and the additional bytes for each
// stored byte.
inline constexpr std::size_t kFreePayloadBytes = std::size_t{2} << 20;
inline constexpr std::size_t kPayloadPerStoredByte = 32;

// Limits for the pieces (definitions, strings and the like) of one payload: the
// number that is always accepted, the number added per stored byte, and the
// maximum.
inline constexpr std::size_t kFreePieces = std::size_t{1} << 16;
inline constexpr std::size_t kPiecesPerStoredByte = 4;
inline constexpr std::size_t kMaxPayloadPieces = std::size_t{1} << 20;
// Maximum bytes of all columns together. A row takes at least two.
inline constexpr std::size_t kMaxColumnBytes = std::size_t{128} << 20;
// Rows of all chunks together, beyond a free allowance (Allowance in
// analysis/reading/stream_loader.h).
inline constexpr std::size_t kRowsPerStoredByte = 2;

// Returns whether a payload of this size is plausible for this stored size.
bool isPlausibleSize(std::uint64_t payload_bytes, std::uint64_t stored_bytes);

// Returns whether a serialized Payload stays within these bounds. Does not
// check whether it can be parsed.
bool isPlausiblePayload(std::string_view payload, std::uint64_t stored_bytes);

// Returns whether every reader accepts a chunk with this payload, alone and
// after any other chunks. A writer checks this before it writes a chunk.
// Does not count on the free allowance for rows, which other chunks may have
// used.
bool isReadableAnywhere(std::string_view payload, std::uint64_t rows,
                        std::uint64_t stored_bytes);

}  // namespace traced
