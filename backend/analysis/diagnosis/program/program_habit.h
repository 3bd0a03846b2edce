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

// Of the call after calls[at], of a place where the same calls, by `what` of a
// call, had been made before that one; where many were and the same call always
// followed, else where calls of the same kinds were made. Absent where too few
// had.
std::optional<Habit> habitAt(const ProgramCalls& program, std::size_t at,
                             std::uint32_t ProgramCall::*what);

}  // namespace traced
