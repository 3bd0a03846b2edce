// Rows that were matched, put together: coalesced batches with their members,
// and groups of one role.

#pragma once

#include "analysis/job/group_catalog.h"
#include "analysis/match/match.h"

namespace traced {

// Sets `batch`, `members` and `order_ns` of rows that have their cells. Where
// one row of a batch is not whole, none is.
void linkBatches(const LoadedRun& run, MatchTable& table);

// By time, a batch before its members, and these together.
void sortRows(MatchTable& table);

// Rows of groups of one role with many groups (GroupRoles), of one number and
// operation, become one, that stands where the first of them did. Each must be
// a collective, by itself, that all members have called alike and that failed
// on none: what is out of the ordinary keeps a row of its own. `not_kept`: what
// is not in the run, if anything.
MatchTable foldGroups(const LoadedRun& run, const MatchTable& table,
                      const GroupRoles& roles,
                      const NotKept* not_kept = nullptr);

}  // namespace traced
