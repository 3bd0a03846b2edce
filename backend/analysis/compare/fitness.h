// Decides whether runs can be compared at all. A gate must not pass if it lacks
// data.

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/compare/side_values.h"

namespace traced {

// Returns every reason against a comparison: lost data, a killed rank, or
// different ranks, steps or programs. Empty if the runs can be compared.
std::vector<Remark> whyUnfit(const Runs& base, const Runs& fresh,
                             const Runs& same, bool paired);

// Returns the names under which one run was passed twice, if any.
std::optional<std::pair<std::string, std::string>> sameRunTwice(
    const std::vector<const Runs*>& sides);

// Returns differences between the sides besides the measured figures, such as
// versions and hosts.
std::vector<Remark> otherFacts(const Runs& base, const Runs& fresh);

}  // namespace traced
