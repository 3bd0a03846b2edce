// Who has not joined an operation, and whom an interrupt or a signal cut off:
// as a consequence, where the others stood still by then, or at work.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/diagnosis/standstill/group_standing.h"

namespace traced {

// Returns the missing ranks that the first signal ended before anybody stood
// still: a launcher ends the rest by another one. Empty where that is not
// recorded of all of them.
std::vector<std::uint32_t> killedFirst(
    const GroupStanding& standing, const std::vector<std::uint32_t>& missing);

// Whether all members were interrupted at work, or killed by one signal at one
// time: that is nobody's doing among them.
bool jobWasEnded(const GroupStanding& standing,
                 const std::vector<std::uint32_t>& missing);

// Absent unless all the missing were cut off while the others stood still.
std::optional<CutOffBeforeJoining> cutOffBefore(
    const GroupStanding& standing, const std::vector<std::uint32_t>& missing);

// MissingRanks sorts who has not joined an operation by how sure that is.
struct MissingRanks {
  explicit MissingRanks(const GroupStanding& standing);

  // Those of whom it is known that they did not join, and those whose traces
  // cannot tell. Ascending.
  std::vector<std::uint32_t> sure, doubtful;
  // Of all those who are sure.
  Confidence confidence = Confidence::kCertain;
  // The process of somebody who is sure has ended.
  bool any_ended = false;
};

}  // namespace traced
