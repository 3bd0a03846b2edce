#include "analysis/history/judge_series.h"

#include <algorithm>
#include <cmath>

#include "analysis/statistics/change_points.h"
#include "analysis/statistics/median.h"
#include "analysis/statistics/student_t.h"

namespace traced {
namespace {

using Values = absl::Span<const double>;

// Whether a change would be none without the run behind it that is furthest
// from what was before: one run that went wrong is no new state.
bool hangsOnOne(Values before, Values after, double max_p) {
  const Moments left = momentsOf(before);
  std::vector<double> rest(after.begin(), after.end());
  const auto furthest =
      std::max_element(rest.begin(), rest.end(), [&](double a, double b) {
        return std::abs(a - left.mean) < std::abs(b - left.mean);
      });
  rest.erase(furthest);
  return rest.empty() || tTestP(left, momentsOf(rest)) >= max_p;
}

// What a change is, beyond the floor and what clocks leave open of a wait.
ChangeKind kindOf(const HistoryKey& key, const ReadySeries& series,
                  double floor, double before, double after) {
  if (series.part == RunPart::kWaitForPeers &&
      std::abs(after - before) <= middleOf(key.uncertain.values)) {
    return ChangeKind::kNone;
  }
  // Of a count that was nothing it is infinite.
  const double ratio =
      std::max(after, series.least) / std::max(before, series.least);
  if (!(ratio > 1 + floor) && !(ratio < 1 / (1 + floor))) {
    return ChangeKind::kNone;
  }
  if (series.part == RunPart::kInFlight) return ChangeKind::kOther;
  return ratio > 1 ? ChangeKind::kWorse : ChangeKind::kBetter;
}

void addChanges(const std::vector<ChangePoint>& points, double max_p,
                std::uint32_t first_new, JudgedSeries& judged) {
  const HistorySeries& of = judged.series.of;
  for (const ChangePoint& point : points) {
    HistoryChange change;
    change.run = of.runs[point.index];
    change.before = point.before.mean;
    change.after = point.after.mean;
    change.runs_before = point.before.count;
    change.runs_after = point.after.count;
    change.p = point.p;
    change.is_new = change.run >= first_new;
    judged.changes.push_back(change);
  }
  if (points.empty()) return;
  const ChangePoint& last = points.back();
  const Values values = of.values;
  judged.changes.back().is_open = hangsOnOne(
      values.subspan(last.index - last.before.count, last.before.count),
      values.subspan(last.index), max_p);
}

// From before the first change of the latest runs to behind the last, but for
// one that is open.
void judgeCertain(const HistoryKey& key, double floor, JudgedSeries& judged) {
  const HistoryChange* most = nullptr;
  for (const HistoryChange& change : judged.changes) {
    if (!change.is_new || change.is_open) continue;
    if (!most) judged.before = change.before;
    judged.after = change.after;
    if (!most || std::abs(change.after - change.before) >
                     std::abs(most->after - most->before)) {
      most = &change;
    }
  }
  if (!most) return;
  judged.since = most->run;
  judged.kind = kindOf(key, judged.series, floor, judged.before, judged.after);
}

// One that is open may be a regression; where it is for the better it hides
// none.
void judgeOpen(const HistoryKey& key, double floor, JudgedSeries& judged) {
  const HistoryChange& last = judged.changes.back();
  if (!last.is_new || !last.is_open || judged.kind != ChangeKind::kNone ||
      kindOf(key, judged.series, floor, last.before, last.after) !=
          ChangeKind::kWorse) {
    return;
  }
  judged.before = last.before;
  judged.after = last.after;
  judged.since = last.run;
  judged.kind = ChangeKind::kOpen;
}

// Half of the runs behind the last change, but of no more than are news, and
// those before them as far as a window reaches, as two samples of one mean.
void tellPower(const HistoryLimits& limits, double max_p,
               JudgedSeries& judged) {
  const Values values = judged.series.of.values;
  std::size_t at = 0, begin = 0;
  for (const HistoryChange& change : judged.changes) {
    at += change.runs_before;
    if (!change.is_open) begin = at;
  }
  const std::size_t state = std::min(values.size() - begin, limits.window);
  if (state < 2 * kLeastRunsOfState) return;
  const Moments now = momentsOf(values.last(state));
  const auto later = static_cast<double>(
      std::max<std::size_t>(std::min(limits.newest, state) / 2, 1));
  const auto count = static_cast<double>(state);
  if (now.mean <= 0) return;
  const double error =
      now.deviation / now.mean * std::sqrt(1 / later + 1 / (count - later));
  const double least = error * studentT(max_p, count - 2);
  judged.significant_from = least;
  judged.found_from =
      std::max(least, limits.floor) + kBeyondForNineOfTen * error;
}

}  // namespace

void judgeSeries(const HistoryKey& key, const HistoryLimits& limits,
                 double max_p, std::uint32_t first_new, JudgedSeries& judged) {
  addChanges(changePoints(judged.series.of.values,
                          {limits.window, max_p, limits.floor}),
             max_p, first_new, judged);
  judgeCertain(key, limits.floor, judged);
  if (!judged.changes.empty()) judgeOpen(key, limits.floor, judged);
  tellPower(limits, max_p, judged);
}

}  // namespace traced
