// Groups of one member: their collectives exchange nothing, which a program
// that wants to reduce over them may not expect.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/job/group_catalog.h"

namespace traced {

// Returns the labels of those for whose index `is_used` is true. Empty for a
// job of one rank, where each group is one.
std::vector<std::string> groupsOfOne(
    const GroupCatalog& groups,
    const std::function<bool(std::uint32_t)>& is_used);

// Returns a line that names the first of them; "" for none.
std::string groupsOfOneText(const std::vector<std::string>& labels);

}  // namespace traced
