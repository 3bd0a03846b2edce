// A hash of numbers that is equal in every process and on every host: XXH3 of
// 64 bits, which xxHash keeps as it is.

#pragma once

#include <cstdint>
#include <span>

namespace traced {

std::uint64_t wordHash(std::span<const std::uint64_t> words,
                       std::uint64_t seed = 0);

}  // namespace traced
