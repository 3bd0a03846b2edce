// Replaces the memory of an unusable ring, which threads may still write into,
// by private memory with a full ring.

#pragma once

#include <cstddef>
#include <cstdint>

namespace traced {

struct RingControl;

// Replaces `memory` by a full ring in one atomic step. Later claims find no
// free slot. Records that were begun in the old memory are discarded.
// `control` belongs to a ring of `slots` slots and is within the `bytes` (whole
// pages) of `memory`. Async-signal-safe. Returns false if memory is short; the
// old memory is then still mapped.
bool replaceByFullRing(void* memory, std::size_t bytes, RingControl* control,
                       std::uint64_t slots);

}  // namespace traced
