// Finds who has not joined an operation. Also finds ranks that an interrupt or
// signal cut off: as a consequence, if the others were already stuck, or during
// normal work.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/diagnosis/stuck_groups/group_standing.h"

namespace traced {

// Returns those of the missing ranks that the first signal killed before
// anybody was stuck. A launcher then kills the rest with another signal. Empty
// unless this is recorded for all missing ranks.
std::vector<std::uint32_t> killedFirst(
    const GroupStanding& standing, const std::vector<std::uint32_t>& missing);

// Returns whether all members were interrupted at work, or killed together by
// one signal. None of them is then to blame.
bool jobWasEnded(const GroupStanding& standing,
                 const std::vector<std::uint32_t>& missing);

// Returns how the missing ranks, at least one, were cut off. Absent unless all
// of them ended in the same way, other than by a kill signal, while the others
// were stuck.
std::optional<CutOffBeforeJoining> cutOffBefore(
    const GroupStanding& standing, const std::vector<std::uint32_t>& missing);

// MissingRanks sorts the ranks that have not joined an operation by certainty.
struct MissingRanks {
  explicit MissingRanks(const GroupStanding& standing);

  // Ranks that are known not to have joined, and ranks whose traces cannot show
  // it. Ascending.
  std::vector<std::uint32_t> sure, doubtful;
  // The weakest confidence of all ranks in `sure`.
  Confidence confidence = Confidence::kCertain;
  // Whether the process of a rank in `sure` has ended.
  bool any_ended = false;
};

}  // namespace traced
