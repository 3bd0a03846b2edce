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
// often that was the current next call. Compares calls by the field `what`.
// Earlier calls match if many are equal by `what` and one call always followed;
// otherwise if their kinds are equal. Absent if too few match.
std::optional<Habit> habitAt(const ProgramCalls& program, std::size_t at,
                             std::uint32_t ProgramCall::*what);

}  // namespace traced
