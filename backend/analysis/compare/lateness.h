// Finds the rank that others wait for longer, and whether that rank computes
// longer or was itself delayed.

#pragma once

#include <cstdint>
#include <optional>

#include "analysis/compare/comparison.h"
#include "analysis/compare/side_values.h"
#include "analysis/statistics/shift.h"

namespace traced {

// Returns the rank that caused more than half of the additional waiting for
// peers, if one did. Without a key, over all operations.
std::optional<std::uint32_t> culpritOf(const Runs& base, const Runs& fresh,
                                       const std::optional<RunKey>& key);

// Returns how much longer, in ns, a rank computes between the end of its last
// wait and a call of this kind. Without a rank, returns the largest shift of
// all ranks. Returns nullopt if a run lacks the data.
std::optional<Shift> computesLonger(const Runs& base, const Runs& fresh,
                                    const CompareSettings& settings,
                                    const RunKey& key,
                                    std::optional<std::uint32_t> rank);

}  // namespace traced
