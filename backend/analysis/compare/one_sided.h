// Finds what only one side has: operations, dtypes, sizes and groups.

#pragma once

#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/compare/side_values.h"

namespace traced {

// Returns the keys that all runs have.
std::vector<RunKey> sharedKeys(const Runs& base, const Runs& fresh);

// Sets `one_sided` and `regrouped`. Keys that only some runs of a side have
// become notes instead: they are not a change.
void findOneSided(const Runs& base, const Runs& fresh, Comparison& comparison);

}  // namespace traced
