// Mutates a segment but leaves most of it unchanged.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>

#include "fuzz/target.h"
#include "ring_io/ring/ring.h"

namespace traced::testing {

// Mutates one slot of the ring half of the time. Has the contract of
// LLVMFuzzerCustomMutator().
inline std::size_t mutateSegment(std::uint8_t* data, std::size_t size,
                                 std::size_t max_size, unsigned seed) {
  std::minstd_rand random(seed);
  const std::size_t slots = size / kSlotBytes;
  if (slots < 2 || random() % 8 == 0) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  // The first slots are the header, so mutate them rarely.
  const std::size_t first = random() % 4 == 0 ? 0 : slots / 2;
  const std::size_t at = kSlotBytes * (first + random() % (slots - first));
  std::uint8_t slot[2 * kSlotBytes];
  std::memcpy(slot, data + at, kSlotBytes);
  LLVMFuzzerMutate(slot, kSlotBytes, sizeof slot);
  std::memcpy(data + at, slot, kSlotBytes);
  return size;
}

}  // namespace traced::testing
