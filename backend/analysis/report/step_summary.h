// How long steps took, and what made the slowest ones slow.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/pictures/pictures.h"

namespace traced {

// What a step's time consists of.
enum class StepPart : std::uint8_t {
  kComputing,  // also while operations were in flight
  kWaitForPeers,
  kTransfer,
  kUndecided,
  kCalls,
  kMayWait,
};
inline constexpr std::size_t kStepParts = 6;

// The duration of a step is that of the rank that took longest.
struct StepSummary {
  struct Slow {
    std::uint64_t step = 0;
    std::uint64_t took_ns = 0;
    // The part that exceeds its median over all steps most, and by how much.
    // Both are means over ranks. 0 if none does.
    StepPart part = StepPart::kComputing;
    std::uint64_t more_ns = 0;
  };
  // Number of steps that ended on all ranks. Steps of one number are one.
  std::uint64_t steps = 0;
  std::uint64_t p50_ns = 0;
  std::uint64_t p99_ns = 0;
  // At most kMaxSlow steps, slowest first. Each took more than a fifth longer
  // than the median.
  static constexpr std::size_t kMaxSlow = 3;
  std::vector<Slow> slowest;
  // The number of slow steps that were long because each rank computed longer
  // than it usually does, and by how much they exceed the median in all.
  std::uint64_t stalls = 0;
  std::uint64_t stalled_ns = 0;
};

// Returns nullopt without marked steps that ended, or if there are so many that
// entries combine several.
std::optional<StepSummary> summarizeSteps(const StepPicture& picture);

}  // namespace traced
