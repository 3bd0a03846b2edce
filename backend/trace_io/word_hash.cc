#include "trace_io/word_hash.h"

#include "xxhash.h"

namespace traced {

std::uint64_t wordHash(std::span<const std::uint64_t> words,
                       std::uint64_t seed) {
  return XXH3_64bits_withSeed(words.data(), words.size_bytes(), seed);
}

}  // namespace traced
