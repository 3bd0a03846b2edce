// Puts the rows of coalesced batches together: each batch, and below it those
// of its members.

#pragma once

#include "analysis/match/match.h"

namespace traced {

// Sets `batch`, `members` and `order_ns` of rows that have their cells. Where
// one row of a batch is not whole, none is.
void linkBatches(const LoadedRun& run, MatchTable& table);

// By time, a batch before its members, and these together.
void sortRows(MatchTable& table);

}  // namespace traced
