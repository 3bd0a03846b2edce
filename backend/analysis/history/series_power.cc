#include "analysis/history/series_power.h"

#include <algorithm>
#include <cmath>

#include "analysis/statistics/change_points.h"
#include "analysis/statistics/student_t.h"

namespace traced {

void tellPower(const HistoryLimits& limits, double max_p,
               JudgedSeries& judged) {
  const absl::Span<const double> values = judged.series.of.values;
  std::size_t begin = 0, at = 0;
  for (const HistoryChange& change : judged.changes) {
    at += change.runs_before;
    if (!change.isOfOneRun()) begin = at;
  }
  const std::size_t state = std::min(values.size() - begin, limits.window);
  if (state < 2 * kLeastRunsOfState) return;
  const Moments now = momentsOf(values.last(state));
  judged.power_runs =
      std::max<std::size_t>(std::min(limits.newest, state) / 2, 1);
  const auto later = static_cast<double>(judged.power_runs);
  const auto count = static_cast<double>(state);
  if (now.mean <= 0) return;
  const double error =
      now.deviation / now.mean * std::sqrt(1 / later + 1 / (count - later));
  const double least = error * studentT(max_p, count - 2);
  judged.significant_from = least;
  judged.found_from =
      std::max(least, limits.floor) + kBeyondForNineOfTen * error;
}

}  // namespace traced
