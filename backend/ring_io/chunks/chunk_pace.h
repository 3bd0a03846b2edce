// How often the writer closes a chunk that nobody asks for.
//
// A chunk names its process, its settings and what its rows need, some 800
// bytes. Where little is recorded that is nearly all of it: such a chunk waits
// for more. What it holds is in the ring meanwhile, where a killed process
// leaves it and readers on its host find it.

#pragma once

#include <chrono>
#include <cstdint>

namespace traced {

inline constexpr std::chrono::milliseconds kChunkInterval{1000};
inline constexpr std::chrono::milliseconds kIdleChunkInterval{5000};
// Some sixty operations.
inline constexpr std::uint64_t kFewSlots = 128;

// `slots`: how many of the ring the chunk covers. Who has a sink wants to see
// soon what there is.
constexpr std::chrono::milliseconds chunkInterval(std::uint64_t slots,
                                                  bool has_sinks) {
  return has_sinks || slots >= kFewSlots ? kChunkInterval : kIdleChunkInterval;
}

}  // namespace traced
