// Hashes numbers with 64-bit XXH3, whose output is stable. The result is equal
// in every process and on every host.

#pragma once

#include <cstdint>
#include <span>

namespace traced {

std::uint64_t wordHash(std::span<const std::uint64_t> words,
                       std::uint64_t seed = 0);

}  // namespace traced
