// Whether runs can be compared at all. A gate that cannot look must not pass.

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/compare/side_values.h"

namespace traced {

// Everything that speaks against it: something is lost, a rank was killed,
// there are other ranks, other steps, another program.
std::vector<Remark> whyUnfit(const Runs& base, const Runs& fresh,
                             const Runs& same, bool paired);

// The names of two runs that are the same one, if there are any.
std::optional<std::pair<std::string, std::string>> sameRunTwice(
    const std::vector<const Runs*>& sides);

// What differs between the sides besides what is measured: versions, hosts.
std::vector<Remark> otherFacts(const Runs& base, const Runs& fresh);

}  // namespace traced
