// What a rank did before in the same place: training repeats.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "analysis/diagnosis/program/program_calls.h"

namespace traced {

struct Habit {
  // When the same calls had come before the last time, its last call.
  std::size_t last_time = 0;
  // How often they had, and how often the same one followed as now.
  std::uint64_t times = 0;
  std::uint64_t same = 0;
};

// Returns how often a call followed the calls that end with calls[at], and how
// often the one that follows now did, by the field `what`. Earlier calls match
// if many are equal by `what` and one call always followed; otherwise if their
// kinds are equal. Returns nothing if too few match.
std::optional<Habit> habitAt(const ProgramCalls& program, std::size_t at,
                             std::uint32_t ProgramCall::*what);

}  // namespace traced
