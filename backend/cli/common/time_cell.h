// A sum of times in a table.

#pragma once

#include <cstdint>
#include <string>

#include "analysis/figures/samples.h"

namespace traced {

// In milliseconds: "-" where there is none, ">=412" where `not_seen` more are
// not in it.
std::string totalCell(const TimeSum& time, std::uint64_t not_seen = 0);

}  // namespace traced
