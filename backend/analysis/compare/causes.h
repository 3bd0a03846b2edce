// Which changes follow from others: a transfer that takes longer makes waits
// and steps longer, and only the transfer is to be told as the reason.

#pragma once

#include "analysis/compare/comparison.h"
#include "analysis/compare/side_values.h"

namespace traced {

// Fills in Change::follows, Change::culprit and Change::sooner.
void findCauses(const Runs& base, const Runs& fresh, Comparison& comparison);

}  // namespace traced
