// Combines matched rows: coalesced batches with their members, and groups of
// one role.

#pragma once

#include "analysis/job/group_catalog.h"
#include "analysis/match/match.h"

namespace traced {

// Finds the batches in a table whose cells are complete. Sets `batch`,
// `ends_batch`, `members` and `order_ns` of its rows. Clears `whole` in all
// rows of a batch if one of them is not whole.
void linkBatches(const LoadedRun& run, MatchTable& table);

// Sorts by time, with a batch directly before its members.
void sortRows(MatchTable& table);

// Combines the rows of groups of one role (GroupRoles) with equal number and
// operation, at the place of the first. Each must be a single collective that
// all members called alike and that failed on none. Unusual rows remain
// separate. `not_kept`: operations that are not in the run, if any.
MatchTable foldGroups(const LoadedRun& run, const MatchTable& table,
                      const GroupRoles& roles,
                      const NotKept* not_kept = nullptr);

}  // namespace traced
