#include "values/block_hash.h"

#include <algorithm>
#include <bit>

#include "xxhash.h"

namespace traced {

static_assert(std::endian::native == std::endian::little);

struct BlockHash::State {
  XXH3_state_t blocks;
  // The bytes after the last whole block.
  XXH3_state_t rest;
  std::size_t rest_bytes = 0;
  std::uint64_t block_count = 0;
  std::uint64_t last_block = 0;
};

BlockHash::BlockHash() : state_(std::make_unique<State>()) {
  XXH3_64bits_reset(&state_->blocks);
  XXH3_64bits_reset(&state_->rest);
}

BlockHash::~BlockHash() = default;

void BlockHash::add(const void* memory, std::size_t bytes) noexcept {
  const char* at = static_cast<const char*>(memory);
  const char* const end = at + bytes;
  if (state_->rest_bytes > 0) {
    const std::size_t fitting =
        std::min(bytes, kBlockBytes - state_->rest_bytes);
    addToRest(at, fitting);
    at += fitting;
  }
  for (; end - at >= static_cast<std::ptrdiff_t>(kBlockBytes);
       at += kBlockBytes) {
    addBlock(XXH3_64bits(at, kBlockBytes));
  }
  if (at < end) addToRest(at, static_cast<std::size_t>(end - at));
}

void BlockHash::addToRest(const char* memory, std::size_t bytes) noexcept {
  XXH3_64bits_update(&state_->rest, memory, bytes);
  state_->rest_bytes += bytes;
  if (state_->rest_bytes < kBlockBytes) return;
  addBlock(XXH3_64bits_digest(&state_->rest));
  XXH3_64bits_reset(&state_->rest);
  state_->rest_bytes = 0;
}

void BlockHash::addBlock(std::uint64_t hash) noexcept {
  XXH3_64bits_update(&state_->blocks, &hash, sizeof hash);
  ++state_->block_count;
  state_->last_block = hash;
}

std::uint64_t BlockHash::value() const noexcept {
  const std::uint64_t rest = XXH3_64bits_digest(&state_->rest);
  if (state_->block_count == 0) return rest;
  if (state_->rest_bytes == 0 && state_->block_count == 1) {
    return state_->last_block;
  }
  XXH3_state_t all = state_->blocks;
  if (state_->rest_bytes > 0) XXH3_64bits_update(&all, &rest, sizeof rest);
  return XXH3_64bits_digest(&all);
}

}  // namespace traced
