// DefinitionCache maps equal byte strings to the same id, so that a repeated
// call costs one lookup and four bytes.
//
// It is a fixed table indexed by hash. New content takes its own entry, or one
// of three neighbours if one is empty. Otherwise it replaces its own entry.
// Memory is bounded and no call blocks. Replaced content is defined again under
// a new id.
//
// An entry holds only the 64-bit hash of the content, so that a lookup touches
// one cache line. Content with an equal hash would be confused, by chance once
// in 10^19 definitions.
//
// Thread safety: any thread may call idFor(). Lookups take no lock. While one
// thread defines, other threads that miss define their content for one use
// only.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "ring_io/ring/ring.h"

namespace traced {

class DefinitionCache {
 public:
  // `entries` must be a power of two and at least 4. Ids are never reused.
  // `first_id` is the first id.
  DefinitionCache(Ring& ring, RecordKind kind, std::size_t entries,
                  std::uint64_t first_id = 1);

  // Returns the id under which the ring defines `content`. Returns 0 if the
  // ring is too full or all 32-bit ids are used.
  std::uint32_t idFor(const void* content, std::size_t bytes) noexcept {
    return idFor(hashOf(content, bytes), content, bytes);
  }
  // Does the same for content with a known hash.
  std::uint32_t idFor(std::uint64_t hash, const void* content,
                      std::size_t bytes) noexcept;
  // Returns the id of content that is already defined, or 0.
  std::uint32_t known(std::uint64_t hash) const noexcept {
    const std::uint32_t id = find(entries_[hash & mask_], hash);
    return id != 0 ? id : findBeside(hash);
  }
  static std::uint64_t hashOf(const void* content, std::size_t bytes) noexcept;

 private:
  // If a reader sees halves of two writes, the xor does not match the hash.
  struct alignas(16) Entry {
    std::atomic<std::uint64_t> id{0};  // 0: empty
    std::atomic<std::uint64_t> hash_xor_id{0};
  };

  // Returns the id, or 0 if the entry holds other content.
  static std::uint32_t find(const Entry& entry, std::uint64_t hash) noexcept {
    // Acquire: the definition reaches the ring before any record that uses it.
    const std::uint64_t id = entry.id.load(std::memory_order_acquire);
    const std::uint64_t other =
        entry.hash_xor_id.load(std::memory_order_relaxed);
    return (other ^ id) == hash ? static_cast<std::uint32_t>(id) : 0;
  }
  // Searches the neighbours of the hash's own entry.
  std::uint32_t findBeside(std::uint64_t hash) const noexcept;
  std::size_t entryFor(std::uint64_t hash) const noexcept;
  // Defines content that was not found. Other threads that define at the same
  // time get an id for one use only.
  std::uint32_t defineNew(std::uint64_t hash, const void* content,
                          std::size_t bytes) noexcept;
  // Pushes the definition. Returns its id, or 0 on failure.
  std::uint32_t define(const void* content, std::size_t bytes,
                       std::uint32_t entry) noexcept;

  // State that only definitions use, kept apart from what every lookup reads.
  struct Definer {
    Ring& ring;
    const RecordKind kind;
    // 64 bits, so that it does not wrap around after the last 32-bit id.
    std::atomic<std::uint64_t> next_id;
    // Set while a thread writes an entry and pushes its definition. One thread
    // at a time: the writer thread sees definitions in the order in which they
    // take entries.
    std::atomic<bool> busy{false};
  };

  const std::unique_ptr<Entry[]> entries_;
  const std::size_t mask_;
  const std::unique_ptr<Definer> definer_;
};

}  // namespace traced
