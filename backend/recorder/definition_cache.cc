#include "recorder/definition_cache.h"

#include <cstring>

#include "xxhash.h"

namespace traced {

DefinitionCache::DefinitionCache(Ring& ring, RecordKind kind,
                                 std::size_t entries)
    : ring_(ring),
      kind_(kind),
      mask_(entries - 1),
      entries_(std::make_unique<Entry[]>(entries)) {}

std::uint32_t DefinitionCache::define(const void* content, std::size_t bytes,
                                      std::uint32_t entry) noexcept {
  const std::uint32_t id = next_id_.fetch_add(1, std::memory_order_relaxed);
  const DefinitionHead head{id, entry};
  const bool stored =
      ring_.pushDefinition(kind_, head, content, bytes) != Ring::kFull;
  return stored ? id : 0;
}

std::uint32_t DefinitionCache::idFor(const void* content,
                                     std::size_t bytes) noexcept {
  if (bytes > kMaxCachedBytes) return define(content, bytes, kNotCached);

  const std::uint64_t hash = XXH3_64bits(content, bytes);
  Entry& entry = entries_[hash & mask_];
  if (entry.busy.exchange(true, std::memory_order_acquire)) {
    return define(content, bytes, kNotCached);
  }
  std::uint32_t id = entry.id;
  const bool hit = id != 0 && entry.hash == hash && entry.bytes == bytes &&
                   std::memcmp(entry.content, content, bytes) == 0;
  if (!hit) {
    id = define(content, bytes, static_cast<std::uint32_t>(hash & mask_));
    if (id != 0) {
      entry.id = id;
      entry.hash = hash;
      entry.bytes = static_cast<std::uint32_t>(bytes);
      std::memcpy(entry.content, content, bytes);
    }
  }
  entry.busy.store(false, std::memory_order_release);
  return id;
}

}  // namespace traced
