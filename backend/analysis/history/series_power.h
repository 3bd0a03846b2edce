// What change of a series would be seen now.

#pragma once

#include "analysis/history/history_verdict.h"

namespace traced {

// Fills in significant_from, found_from and power_runs, once the changes are
// known. By a t-test of two samples of what is behind the last change: half of
// it, but of no more runs than are news, and those before as far as a window
// reaches.
void tellPower(const HistoryLimits& limits, double max_p, JudgedSeries& judged);

}  // namespace traced
