// The token in a file, or in a header of a request.

#pragma once

#include <algorithm>
#include <string_view>

namespace traced {

// Returns `text` without the white space around it and without a byte order
// mark: editors add them.
inline std::string_view tokenIn(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  constexpr std::string_view kSpace = " \t\r\n";
  const auto trim = [&] {
    text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
    text.remove_suffix(text.size() - (text.find_last_not_of(kSpace) + 1));
  };
  trim();
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
    trim();
  }
  return text;
}

}  // namespace traced
