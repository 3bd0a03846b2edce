// Ranks that an interrupt or a signal cut off: as a consequence, where the
// others stood still by then, or at work.

#pragma once

#include <cstdint>
#include <string>
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

// Returns "rank 1 had not joined ... when the job was interrupted; ranks 0,2
// had waited 32 s." and sets how long they had; "" unless all the missing were
// cut off while the others stood still.
std::string cutOffText(const GroupStanding& standing,
                       const std::vector<std::uint32_t>& missing,
                       JobVerdict& verdict);

// Returns the ranks in words, and only how many there are of a long list.
std::string whoElse(const GroupStanding& standing,
                    const std::vector<std::uint32_t>& ranks);

}  // namespace traced
