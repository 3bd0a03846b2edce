// Holm's correction of p-values: of many tests in which nothing differs, the
// chance that any falls below alpha stays alpha, however they depend on each
// other.

#pragma once

#include <vector>

namespace traced {

// In the order that they were given.
std::vector<double> holmAdjusted(const std::vector<double>& p);

}  // namespace traced
