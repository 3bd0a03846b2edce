#include "recorder/ring/definition_cache.h"

#include "xxhash.h"

namespace traced {

DefinitionCache::DefinitionCache(Ring& ring, RecordKind kind,
                                 std::size_t entries, std::uint64_t first_id)
    : entries_(std::make_unique<Entry[]>(entries)),
      mask_(entries - 1),
      definer_(new Definer{ring, kind, first_id}) {}

std::uint64_t DefinitionCache::hashOf(const void* content,
                                      std::size_t bytes) noexcept {
  return XXH3_64bits(content, bytes);
}

std::uint32_t DefinitionCache::idFor(std::uint64_t hash, const void* content,
                                     std::size_t bytes) noexcept {
  const std::size_t index = hash & mask_;
  const std::uint32_t id = find(entries_[index], hash);
  return id != 0 ? id : defineAt(index, hash, content, bytes);
}

std::uint32_t DefinitionCache::defineAt(std::size_t index, std::uint64_t hash,
                                        const void* content,
                                        std::size_t bytes) noexcept {
  if (definer_->busy.exchange(true, std::memory_order_acquire)) {
    return define(content, bytes, kNotCached);
  }
  Entry& entry = entries_[index];
  std::uint32_t id = find(entry, hash);  // another thread was faster
  if (id == 0) {
    id = define(content, bytes, static_cast<std::uint32_t>(index));
    if (id != 0) {
      entry.hash_xor_id.store(hash ^ id, std::memory_order_relaxed);
      entry.id.store(id, std::memory_order_release);
    }
  }
  definer_->busy.store(false, std::memory_order_release);
  return id;
}

std::uint32_t DefinitionCache::define(const void* content, std::size_t bytes,
                                      std::uint32_t entry) noexcept {
  const std::uint64_t next =
      definer_->next_id.fetch_add(1, std::memory_order_relaxed);
  if (next > UINT32_MAX) return 0;
  const auto id = static_cast<std::uint32_t>(next);
  const DefinitionHead head{id, entry};
  const std::uint64_t position =
      definer_->ring.pushDefinition(definer_->kind, head, content, bytes);
  return position == Ring::kFull ? 0 : id;
}

}  // namespace traced
