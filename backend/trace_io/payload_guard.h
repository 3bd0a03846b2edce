// What a few bytes of a file may become in memory: an empty definition takes
// two bytes and a hundred when parsed, an entry of a column one and eight, and
// zstd makes thousands of one. A recorder's payload takes about twice what is
// stored of it. So a payload is refused, before it is parsed, when it is
// both large and out of all proportion to what is stored of it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace traced {

// Bytes of a payload that are always accepted, and how many more for each byte
// that is stored.
inline constexpr std::size_t kFreePayloadBytes = std::size_t{2} << 20;
inline constexpr std::size_t kPayloadPerStoredByte = 32;

// Definitions, strings and the like in one payload: always accepted, more for
// each stored byte, and beyond any honest payload.
inline constexpr std::size_t kFreePieces = std::size_t{1} << 16;
inline constexpr std::size_t kPiecesPerStoredByte = 4;
inline constexpr std::size_t kMaxPayloadPieces = std::size_t{1} << 20;
// Bytes of all columns together; at least two make a row.
inline constexpr std::size_t kMaxColumnBytes = std::size_t{128} << 20;
// Rows of all chunks together, beside some that are free
// (Allowance in analysis/reading/stream_loader.h).
inline constexpr std::size_t kRowsPerStoredByte = 2;

// Whether so many bytes may come from so many stored ones.
bool isModestSize(std::uint64_t payload_bytes, std::uint64_t stored_bytes);

// Whether a serialized Payload stays inside these bounds. Says nothing about
// whether it can be parsed.
bool isModestPayload(std::string_view payload, std::uint64_t stored_bytes);

// Whether every reader takes a chunk with this payload, alone and behind any
// others: what a writer asks before it writes one. All that is free is the
// reader's to give, and some other chunk may have had it.
bool isReadableAnywhere(std::string_view payload, std::uint64_t rows,
                        std::uint64_t stored_bytes);

}  // namespace traced
