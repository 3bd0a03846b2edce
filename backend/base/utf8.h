// Makes text from outside (exception messages, names) valid for protobuf. A
// protobuf reader rejects a whole chunk for one byte of invalid UTF-8.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace traced {

// Returns `text` with every byte that is not part of valid UTF-8 replaced by
// '?'.
std::string toValidUtf8(std::string_view text);

struct Utf8Character {
  char32_t code = 0;
  std::size_t bytes = 0;
};
// Returns the first character of `text`, which must be valid UTF-8 and not
// empty.
Utf8Character firstCharacter(std::string_view text);

// Returns whether a character has no glyph but affects a terminal or the
// display of other characters. These are control characters, line separators,
// direction marks, and zero-width or invisible characters.
bool isUnprintable(char32_t code);

// Returns a name from a trace, made safe for a terminal. Each character that
// isUnprintable() holds, and each invalid UTF-8 byte, becomes "?".
std::string printable(std::string_view text);

}  // namespace traced
