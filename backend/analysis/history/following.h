// Which changes follow from others: of those only the reason is told as one.

#pragma once

#include <vector>

#include "analysis/history/history_verdict.h"

namespace traced {

// Fills in JudgedSeries::follows. More calls carry more bytes; a program waits
// longer for what takes longer; and a total is what its parts are.
void tellFollowing(const History& history, std::vector<JudgedSeries>& series);

}  // namespace traced
