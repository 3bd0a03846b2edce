// Compares secrets in a time that tells nothing of where they differ.

#pragma once

#include <string_view>

namespace traced {

inline bool isSameToken(std::string_view given, std::string_view wanted) {
  unsigned char differs = given.size() == wanted.size() ? 0 : 1;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const char other = given.empty() ? '\0' : given[i % given.size()];
    differs |= static_cast<unsigned char>(other ^ wanted[i]);
  }
  return differs == 0;
}

}  // namespace traced
