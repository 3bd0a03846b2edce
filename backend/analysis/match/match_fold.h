// Operations that many groups of one role make alike, as one row.

#pragma once

#include "analysis/job/group_roles.h"
#include "analysis/match/match.h"

namespace traced {

// Rows of groups of one role with many groups (GroupRoles), of one number and
// operation, become one, that stands where the first of them did. Each must be
// a collective, by itself, that all members have called alike and that failed
// on none: what is out of the ordinary keeps a row of its own. `not_kept`: what
// is not in the run, if anything.
MatchTable foldGroups(const LoadedRun& run, const MatchTable& table,
                      const GroupRoles& roles,
                      const NotKept* not_kept = nullptr);

}  // namespace traced
