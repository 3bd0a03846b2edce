// Decides how often the writer closes a chunk without a request.
//
// A chunk repeats its process, its settings and the definitions of its rows,
// about 800 bytes. If little is recorded, that is nearly the whole chunk, so
// the writer waits longer.
//
// Meanwhile the records are in the ring. They survive a killed process, and
// readers on the host find them there.

#pragma once

#include <chrono>
#include <cstdint>

namespace traced {

inline constexpr std::chrono::milliseconds kChunkInterval{1000};
inline constexpr std::chrono::milliseconds kIdleChunkInterval{5000};
// About sixty operations.
inline constexpr std::uint64_t kFewSlots = 128;

// Returns the interval for a chunk that covers `slots` slots of the ring. Sinks
// always get the short interval, because their readers want recent data.
constexpr std::chrono::milliseconds chunkInterval(std::uint64_t slots,
                                                  bool has_sinks) {
  return has_sinks || slots >= kFewSlots ? kChunkInterval : kIdleChunkInterval;
}

}  // namespace traced
