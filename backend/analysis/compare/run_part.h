// What is compared of a run.

#pragma once

#include <cstddef>
#include <cstdint>

namespace traced {

enum class RunPart : std::uint8_t {
  kCalls,
  kBytes,
  // From issue to return, in the program's own thread.
  kOwnCall,
  kWaitForPeers,
  kTransfer,
  // How long the program, or the device, stood in the wait.
  kExposed,
  // Only in total.
  kStep,
  // Bytes under way, the mean over time.
  kInFlight,
};

inline constexpr std::size_t kRunParts = 8;

// "own_call": as JSON and CSV name it.
const char* nameOf(RunPart part);

// Counts, which do not vary by themselves.
constexpr bool isCount(RunPart part) {
  return part == RunPart::kCalls || part == RunPart::kBytes;
}
constexpr bool isTime(RunPart part) {
  return !isCount(part) && part != RunPart::kInFlight;
}

}  // namespace traced
