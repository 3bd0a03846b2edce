#include "ring_io/ring/definition_cache.h"

#include "xxhash.h"

namespace traced {
namespace {

// Number of entries that can hold one content. They share a cache line.
constexpr std::size_t kWays = 4;

}  // namespace

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
  const std::uint32_t id = known(hash);
  return id != 0 ? id : defineNew(hash, content, bytes);
}

std::uint32_t DefinitionCache::findBeside(std::uint64_t hash) const noexcept {
  for (std::size_t way = 1; way < kWays; ++way) {
    const std::uint32_t id = find(entries_[(hash & mask_) ^ way], hash);
    if (id != 0) return id;
  }
  return 0;
}

// Returns the first empty entry for the hash, or its own entry.
std::size_t DefinitionCache::entryFor(std::uint64_t hash) const noexcept {
  const std::size_t own = hash & mask_;
  for (std::size_t way = 0; way < kWays; ++way) {
    const Entry& entry = entries_[own ^ way];
    if (entry.id.load(std::memory_order_relaxed) == 0) return own ^ way;
  }
  return own;
}

std::uint32_t DefinitionCache::defineNew(std::uint64_t hash,
                                         const void* content,
                                         std::size_t bytes) noexcept {
  if (definer_->busy.exchange(true, std::memory_order_acquire)) {
    return define(content, bytes, kNotCached);
  }
  std::uint32_t id = known(hash);  // another thread was faster
  if (id == 0) {
    const std::size_t index = entryFor(hash);
    id = define(content, bytes, static_cast<std::uint32_t>(index));
    if (id != 0) {
      Entry& entry = entries_[index];
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
