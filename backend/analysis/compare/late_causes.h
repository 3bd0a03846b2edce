// Finds why a rank is later than before: it computes longer, or another
// operation that became longer delayed it.

#pragma once

#include "analysis/compare/comparison.h"
#include "analysis/compare/side_values.h"

namespace traced {

// Sets Change::follows and Change::perhaps_follows of waits for peers. Needs
// Change::culprit and Change::sooner.
void findLateCauses(const Runs& base, const Runs& fresh,
                    Comparison& comparison);

}  // namespace traced
