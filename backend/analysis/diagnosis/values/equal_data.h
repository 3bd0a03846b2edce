// Sets of ranks that hold equal data, and whom they outvote.

#pragma once

#include <vector>

#include "absl/types/span.h"
#include "analysis/diagnosis/values/examined_parts.h"
#include "analysis/diagnosis/verdicts/verdict.h"

namespace traced {

// Returns the ranks with equal data, the largest set first.
std::vector<Ranks> equalRanks(absl::Span<const Holders> holders);

// Sets the ranks and culprits of a verdict: the minority if most ranks agree,
// else all, undecided.
void blameMinority(const std::vector<Ranks>& equal, JobVerdict& verdict);

}  // namespace traced
