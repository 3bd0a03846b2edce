#include "ring_io/ring/full_ring.h"

#include <sys/mman.h>

#include <new>

#include "ring_io/ring/ring.h"

namespace traced {
namespace {

// Larger than any position that a ring reaches.
constexpr std::uint64_t kFar = std::uint64_t{1} << 62;

}  // namespace

bool replaceByFullRing(void* memory, std::size_t bytes, RingControl* control,
                       std::uint64_t slots) {
  void* const fresh = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED) return false;
  const std::ptrdiff_t offset =
      reinterpret_cast<char*>(control) - static_cast<char*>(memory);
  auto* const full = new (static_cast<char*>(fresh) + offset) RingControl{};
  full->head.store(kFar + slots);
  full->tail.store(kFar);
  return mremap(fresh, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, memory) !=
         MAP_FAILED;
}

}  // namespace traced
