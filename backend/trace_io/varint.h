// Reads and writes base-128 varints, as protobuf does.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace traced {

inline void appendVarint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

// Returns the value of a varint that takes exactly all of `bytes`. Returns
// nullopt if it ends earlier or later, or does not fit 64 bits.
inline std::optional<std::uint64_t> parseVarint(std::string_view bytes) {
  if (bytes.empty() || bytes.size() > 10) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(bytes[i]);
    const bool last = i + 1 == bytes.size();
    if ((byte & 0x80) == (last ? 0x80 : 0)) return std::nullopt;
    if (i == 9 && byte > 1) return std::nullopt;
    value |= std::uint64_t{byte & 0x7Fu} << (7 * i);
  }
  return value;
}

}  // namespace traced
