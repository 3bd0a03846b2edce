// The parts of a run that are compared.

#pragma once

#include <cstddef>
#include <cstdint>

namespace traced {

enum class RunPart : std::uint8_t {
  kCalls,
  kBytes,
  // From issue to return, in the calling thread.
  kOwnCall,
  kWaitForPeers,
  kTransfer,
  // Time for which the program, or the device, was blocked by the wait.
  kExposed,
  // Only in the total.
  kStep,
  // Mean number of bytes in flight.
  kInFlight,
};

inline constexpr std::size_t kRunParts = 8;

// Returns the name used in JSON and CSV, such as "own_call".
const char* nameOf(RunPart part);

// Returns whether the part is a count, which does not vary by chance.
constexpr bool isCount(RunPart part) {
  return part == RunPart::kCalls || part == RunPart::kBytes;
}
constexpr bool isTime(RunPart part) {
  return !isCount(part) && part != RunPart::kInFlight;
}

}  // namespace traced
