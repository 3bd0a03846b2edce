// A ring that is of no use any more, and that threads may still be writing
// into: its memory becomes private memory that holds a full ring.

#pragma once

#include <cstddef>
#include <cstdint>

namespace traced {

struct RingControl;

// Puts the full ring in the place of `memory`, whole and at once: who claims
// slots finds none, and a record that was begun in the old memory goes nowhere.
// `control`, of a ring of `slots` slots, lies within the `bytes` (whole pages)
// of `memory`. May be called in a signal handler. False without memory: the old
// one is then still there.
bool replaceByFullRing(void* memory, std::size_t bytes, RingControl* control,
                       std::uint64_t slots);

}  // namespace traced
