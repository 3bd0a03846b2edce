// Whether runs can be compared at all. A gate that cannot look must not pass.

#pragma once

#include <string>
#include <vector>

#include "analysis/compare/side_values.h"

namespace traced {

// A sentence for everything that speaks against it: something is lost, a rank
// was killed, there are other ranks, other steps, another program.
std::vector<std::string> whyUnfit(const Runs& base, const Runs& fresh,
                                  const Runs& same, bool paired);

// A sentence about runs that are the same one; "" if there are none.
std::string sameRunTwice(const std::vector<const Runs*>& sides);

// What differs between the sides besides what is measured: versions, hosts.
std::vector<std::string> otherFacts(const Runs& base, const Runs& fresh);

}  // namespace traced
