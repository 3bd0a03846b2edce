// Why a rank comes later than before: because it computes longer, or because it
// was let go later by something else that became longer.

#pragma once

#include "analysis/compare/comparison.h"
#include "analysis/compare/side_values.h"

namespace traced {

// Fills in Change::follows and Change::perhaps_follows of waits for peers;
// culprits are known, and Change::sooner.
void findLateCauses(const Runs& base, const Runs& fresh,
                    Comparison& comparison);

}  // namespace traced
