// A few bytes of a serialized message can become a hundred in memory: an empty
// definition takes two. This guard looks at a payload before it is parsed.

#pragma once

#include <cstddef>
#include <string_view>

namespace traced {

// Definitions, strings and the like in one payload, beyond any honest one.
inline constexpr std::size_t kMaxPayloadPieces = std::size_t{1} << 20;
// Bytes of all columns together; at least two make a row.
inline constexpr std::size_t kMaxColumnBytes = std::size_t{128} << 20;

// Whether a serialized Payload stays inside these bounds. Says nothing about
// whether it can be parsed.
bool isModestPayload(std::string_view payload);

}  // namespace traced
