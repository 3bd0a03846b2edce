// What a group is, in words that are equal in every run of a program: what its
// user called it, else who is in it. Names that torch makes up are of no use:
// they count on, or are hashes.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/job/group_catalog.h"

namespace traced {

// One text per group of the catalog. Groups that are called alike and have as
// many members are one role, such as the rows of a mesh: "dp", or "dp (64
// groups of 8)". Of a group without a name "ranks 0-3", and "ranks 0-3 #2" of
// the second of its ranks.
std::vector<std::string> groupIdentities(const GroupCatalog& catalog);

// Who is in the groups of each role: "0-1; 2-3".
std::map<std::string, std::string> groupLayouts(const GroupCatalog& catalog);

}  // namespace traced
