// Reads numbers from files of /proc.

#pragma once

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>

#include "recorder/standstill/small_file.h"

namespace traced {

// Returns the number after the first `name`. Absent if there is none.
inline std::optional<std::uint64_t> numberAfter(const SmallFile& file,
                                                const char* name) {
  const char* const at = std::strstr(file.text, name);
  std::uint64_t number = 0;
  if (!at || std::sscanf(at + std::strlen(name), "%" SCNu64, &number) != 1) {
    return std::nullopt;
  }
  return number;
}

}  // namespace traced
