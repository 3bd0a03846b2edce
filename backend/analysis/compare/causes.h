// Finds which changes follow from others. A longer transfer makes waits and
// steps longer, and only the transfer should be reported as the cause.

#pragma once

#include "analysis/compare/comparison.h"
#include "analysis/compare/side_values.h"

namespace traced {

// Sets Change::follows, Change::perhaps_follows, Change::culprit and
// Change::sooner.
void findCauses(const Runs& base, const Runs& fresh, Comparison& comparison);

}  // namespace traced
