// Where one series changed, and what its latest runs are beside those before.

#pragma once

#include <cstdint>

#include "analysis/history/history_verdict.h"

namespace traced {

// Fills in all of `judged` but the series. `first_new`: from which run on a
// change is news.
void judgeSeries(const HistoryKey& key, const HistoryLimits& limits,
                 double max_p, std::uint32_t first_new, JudgedSeries& judged);

}  // namespace traced
