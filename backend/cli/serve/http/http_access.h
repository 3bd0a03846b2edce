// Decides which requests are allowed, by their token and their Host header.

#pragma once

#include <algorithm>
#include <string_view>

namespace traced {

// Returns true for an IP address or "localhost", with or without a port. A web
// page of another site can make its own name resolve to this host (DNS
// rebinding), but its requests still carry that name.
bool isLocalName(std::string_view host);

// Compares secrets in a time that does not depend on where they differ.
inline bool isSameToken(std::string_view given, std::string_view wanted) {
  unsigned char differs = given.size() == wanted.size() ? 0 : 1;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const char other = given.empty() ? '\0' : given[i % given.size()];
    differs |= static_cast<unsigned char>(other ^ wanted[i]);
  }
  return differs == 0;
}

// Returns the token in a file or in a header: `text` without the white space
// around it and without a byte order mark, which editors add.
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
