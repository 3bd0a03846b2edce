#include "base/utf8.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace traced {
namespace {

// Returns the length of the well-formed sequence at the start of `text`, or 0
// if it is malformed (Unicode 15, table 3-7).
std::size_t sequenceLength(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) >> 6) == 0b10; };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (first == 0xE0 && byte(1) < 0xA0) return 0;  // overlong
    if (first == 0xED && byte(1) > 0x9F) return 0;  // surrogate
    return continues(1) && continues(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (first == 0xF0 && byte(1) < 0x90) return 0;  // overlong
    if (first == 0xF4 && byte(1) > 0x8F) return 0;  // beyond U+10FFFF
    return continues(1) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string toValidUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = sequenceLength(text);
    if (length == 0) {
      valid.push_back('?');
    } else {
      valid.append(text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return valid;
}

Utf8Character firstCharacter(std::string_view text) {
  const std::size_t bytes = sequenceLength(text);
  const auto first = static_cast<std::uint8_t>(text[0]);
  if (bytes <= 1) return {first, 1};
  char32_t code = first & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    code = code << 6 | (static_cast<std::uint8_t>(text[i]) & 0x3Fu);
  }
  return {code, bytes};
}

bool isUnprintable(char32_t code) {
  // All of Unicode's control and format characters except the soft hyphen and
  // the two joiners, which ordinary text needs.
  constexpr std::pair<char32_t, char32_t> kRanges[] = {
      {0x00, 0x1F},     {0x7F, 0x9F},     {0x61C, 0x61C},    {0x180E, 0x180E},
      {0x200B, 0x200B}, {0x200E, 0x200F}, {0x2028, 0x202E},  {0x2060, 0x206F},
      {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE0FFF}};
  return std::any_of(std::begin(kRanges), std::end(kRanges),
                     [code](const auto& range) {
                       return range.first <= code && code <= range.second;
                     });
}

std::string printable(std::string_view text) {
  // A terminal without UTF-8 interprets a lone byte as a control character.
  const std::string valid = toValidUtf8(text);
  std::string safe;
  safe.reserve(valid.size());
  for (std::string_view rest = valid; !rest.empty();) {
    const Utf8Character first = firstCharacter(rest);
    if (isUnprintable(first.code)) {
      safe += '?';
    } else {
      safe += rest.substr(0, first.bytes);
    }
    rest.remove_prefix(first.bytes);
  }
  return safe;
}

}  // namespace traced
