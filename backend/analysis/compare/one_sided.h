// What only one side has: operations, dtypes, sizes, groups.

#pragma once

#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/compare/side_values.h"

namespace traced {

// The keys that all runs have, with none of their changes.
std::vector<RunKey> sharedKeys(const Runs& base, const Runs& fresh);

// Fills in `one_sided` and `regrouped`, and notes what even runs of one side
// differ in: that is no change.
void findOneSided(const Runs& base, const Runs& fresh, Comparison& comparison);

}  // namespace traced
