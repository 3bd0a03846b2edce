// Columns whose name ends in _plus_1 hold a value plus 1, or 0 if it is
// unknown.

#pragma once

#include <cstdint>
#include <optional>

namespace traced {

template <typename Value>
constexpr Value plusOne(const std::optional<Value>& value) {
  return value ? *value + 1 : 0;
}

constexpr std::optional<std::uint64_t> lessOne(std::uint64_t plus_1) {
  return plus_1 > 0 ? std::optional(plus_1 - 1) : std::nullopt;
}

}  // namespace traced
