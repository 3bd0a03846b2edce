// A rank's earlier calls at the same place. Training repeats itself.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "analysis/diagnosis/program/program_calls.h"

namespace traced {

struct Habit {
  // The index of the last call of the most recent earlier visit.
  std::size_t last_time = 0;
  // The number of earlier visits, and of those in which the same call followed
  // as now.
  std::uint64_t times = 0;
  std::uint64_t same = 0;
};

// Counts how often a call followed the calls that end with calls[at], and how
// often that was the current next call. An earlier place counts if enough calls
// before it are equal by the field `what` and always continued in one way. If
// no place does, those count whose calls are equal by kind. Absent if none
// does, or if calls[at] is the last call.
std::optional<Habit> habitAt(const ProgramCalls& program, std::size_t at,
                             std::uint32_t ProgramCall::*what);

}  // namespace traced
