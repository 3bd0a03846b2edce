// Whom others wait for longer than before, and whether that rank computes
// longer or was let go later itself.

#pragma once

#include <cstdint>
#include <optional>

#include "analysis/compare/comparison.h"
#include "analysis/compare/side_values.h"
#include "analysis/statistics/shift.h"

namespace traced {

// The rank that caused more than half of what was waited more for peers; of all
// operations without a key.
std::optional<std::uint32_t> culpritOf(const Runs& base, const Runs& fresh,
                                       const std::optional<RunKey>& key);

// By how much longer a rank computes before a call of a kind, from the end of
// its last wait on, ns. Without a rank the most of all. Absent where a run does
// not tell.
std::optional<Shift> computesLonger(const Runs& base, const Runs& fresh,
                                    const CompareSettings& settings,
                                    const RunKey& key,
                                    std::optional<std::uint32_t> rank);

}  // namespace traced
