// DefinitionCache names equal byte strings by the same id, so that a call that
// repeats costs one lookup and four bytes.
//
// It is a fixed table with an entry for each hash value: a newcomer takes it,
// or where it is taken one of three beside it that is empty, or else the entry
// of whatever was there. Memory is bounded and nothing is ever waited for; what
// is forgotten is simply defined again under a new id.
//
// An entry holds no content, only its 64-bit hash, so that a lookup touches one
// cache line. Two contents are confused when all 64 bits are equal while one
// has the other's entry: by chance once in 10^19 definitions.
//
// Thread safety: idFor from any thread. Lookups take no lock; while a thread
// defines, what others find missing is defined for one use only.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "ring_io/ring/ring.h"

namespace traced {

class DefinitionCache {
 public:
  // `entries` is a power of two, at least 4. An id is never given again;
  // `first_id` is that of the first definition.
  DefinitionCache(Ring& ring, RecordKind kind, std::size_t entries,
                  std::uint64_t first_id = 1);

  // The id under which `content` is defined in the ring; 0 when the ring is
  // too full to define it, or all ids of 32 bits were given.
  std::uint32_t idFor(const void* content, std::size_t bytes) noexcept {
    return idFor(hashOf(content, bytes), content, bytes);
  }
  // The same for content whose hash is known.
  std::uint32_t idFor(std::uint64_t hash, const void* content,
                      std::size_t bytes) noexcept;
  // The id of content that is defined; 0 when it is not.
  std::uint32_t known(std::uint64_t hash) const noexcept {
    const std::uint32_t id = find(entries_[hash & mask_], hash);
    return id != 0 ? id : findBeside(hash);
  }
  static std::uint64_t hashOf(const void* content, std::size_t bytes) noexcept;

 private:
  // A reader that meets two writers' halves finds that they do not fit.
  struct alignas(16) Entry {
    std::atomic<std::uint64_t> id{0};  // 0: empty
    std::atomic<std::uint64_t> hash_xor_id{0};
  };

  // 0 when the entry holds something else.
  static std::uint32_t find(const Entry& entry, std::uint64_t hash) noexcept {
    // Acquire: the definition is in the ring before who uses it.
    const std::uint64_t id = entry.id.load(std::memory_order_acquire);
    const std::uint64_t other =
        entry.hash_xor_id.load(std::memory_order_relaxed);
    return (other ^ id) == hash ? static_cast<std::uint32_t>(id) : 0;
  }
  // Looks in the entries beside the hash's own.
  std::uint32_t findBeside(std::uint64_t hash) const noexcept;
  std::size_t entryFor(std::uint64_t hash) const noexcept;
  std::uint32_t defineNew(std::uint64_t hash, const void* content,
                          std::size_t bytes) noexcept;
  std::uint32_t define(const void* content, std::size_t bytes,
                       std::uint32_t entry) noexcept;

  // What only a definition needs, apart from what every lookup does.
  struct Definer {
    Ring& ring;
    const RecordKind kind;
    // More than ids have room for: what comes when they are used up has none.
    std::atomic<std::uint64_t> next_id;
    // Entries are written, and their definitions pushed, by one thread at a
    // time: the writer thread learns in this order who holds an entry.
    std::atomic<bool> busy{false};
  };

  const std::unique_ptr<Entry[]> entries_;
  const std::size_t mask_;
  const std::unique_ptr<Definer> definer_;
};

}  // namespace traced
