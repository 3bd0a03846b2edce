// Text from outside (exception messages, names) made fit for protobuf, whose
// readers refuse a whole chunk over one byte of invalid UTF-8.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace traced {

// `text` with every byte that is not part of valid UTF-8 replaced by '?'.
std::string toValidUtf8(std::string_view text);

struct Utf8Character {
  char32_t code = 0;
  std::size_t bytes = 0;
};
// The first character of text that is valid and not empty.
Utf8Character firstCharacter(std::string_view text);

// Whether a character acts on a terminal or on how others are shown, and has no
// look of its own: control characters, separators of lines, and those that turn
// the direction of writing, fill no space or are never to be seen.
bool isUnprintable(char32_t code);

}  // namespace traced
