// Kinds of operation that a program has begun or ceased to call.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/history/history_verdict.h"

namespace traced {

// What all of `runs` have, of at least two, from one run of the latest on, and
// none before; and what none has any more. What comes and goes is neither.
std::vector<CameOrWent> cameOrWent(const History& history,
                                   const std::vector<std::uint32_t>& runs,
                                   std::uint32_t first_new);

}  // namespace traced
