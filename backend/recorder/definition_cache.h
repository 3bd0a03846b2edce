// DefinitionCache names equal byte strings by the same id, so that a call that
// repeats costs one lookup and four bytes.
//
// It is a fixed table, one entry per hash value: a newcomer takes the entry of
// whatever was there. Memory is bounded and nothing is ever waited for; what is
// forgotten is simply defined again under a new id.
//
// Thread safety: idFor from any thread. An entry that another thread is using
// at this moment is treated as a miss.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "recorder/ring.h"

namespace traced {

class DefinitionCache {
 public:
  // `entries` is a power of two. Longer contents are never cached: each use
  // defines them again.
  static constexpr std::size_t kMaxCachedBytes = 632;

  DefinitionCache(Ring& ring, RecordKind kind, std::size_t entries);

  // The id under which `content` is defined in the ring; 0 when the ring is
  // too full to define it.
  std::uint32_t idFor(const void* content, std::size_t bytes) noexcept;

 private:
  struct alignas(64) Entry {
    std::atomic<bool> busy{false};
    std::uint32_t id = 0;  // 0: empty. This and the rest: whoever set busy.
    std::uint32_t bytes = 0;
    std::uint64_t hash = 0;
    char content[kMaxCachedBytes];
  };

  std::uint32_t define(const void* content, std::size_t bytes,
                       std::uint32_t entry) noexcept;

  Ring& ring_;
  const RecordKind kind_;
  const std::size_t mask_;
  std::unique_ptr<Entry[]> entries_;
  std::atomic<std::uint32_t> next_id_{1};
};

}  // namespace traced
