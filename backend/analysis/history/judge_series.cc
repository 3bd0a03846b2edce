#include "analysis/history/judge_series.h"

#include <algorithm>
#include <cmath>

#include "analysis/history/series_power.h"
#include "analysis/statistics/change_points.h"
#include "analysis/statistics/median.h"

namespace traced {
namespace {

using Values = absl::Span<const double>;

// Whether two states would not differ without the run of the later one that is
// furthest from the earlier: one run that went wrong is no new state.
bool hangsOnOne(Values before, Values after, double max_p) {
  if (after.size() < kLeastRunsOfState) return true;
  const Moments left = momentsOf(before);
  std::vector<double> rest(after.begin(), after.end());
  const auto furthest =
      std::max_element(rest.begin(), rest.end(), [&](double a, double b) {
        return std::abs(a - left.mean) < std::abs(b - left.mean);
      });
  rest.erase(furthest);
  return tTestP(left, momentsOf(rest)) >= max_p;
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

// What lies between the changes, the first before all of them.
std::vector<Values> statesOf(const JudgedSeries& judged) {
  std::vector<Values> states;
  const Values values = judged.series.of.values;
  std::size_t from = 0;
  for (const HistoryChange& change : judged.changes) {
    states.push_back(values.subspan(from, change.runs_before));
    from += change.runs_before;
  }
  states.push_back(values.subspan(from));
  return states;
}

void addChanges(const std::vector<ChangePoint>& points, std::uint32_t first_new,
                JudgedSeries& judged) {
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
}

// Of the changes from `first` up to `behind` the one that did most and stayed.
std::uint32_t runOfMost(const JudgedSeries& judged, std::size_t first,
                        std::size_t behind) {
  const HistoryChange* most = &judged.changes[first];
  const auto step = [](const HistoryChange& change) {
    return change.runs_after < kLeastRunsOfState
               ? 0
               : std::abs(change.after - change.before);
  };
  for (std::size_t i = first; i < behind; ++i) {
    if (step(judged.changes[i]) > step(*most)) most = &judged.changes[i];
  }
  return most->run;
}

// The state now beside that before the first change of the latest runs. A run
// that stands alone is no state; where there is no other, it is open what it
// will have been.
void judgeNews(const HistoryKey& key, double floor, double max_p,
               JudgedSeries& judged) {
  const auto& changes = judged.changes;
  const auto first =
      std::find_if(changes.begin(), changes.end(),
                   [](const HistoryChange& change) { return change.is_new; });
  if (first == changes.end()) return;
  const std::vector<Values> states = statesOf(judged);
  auto before = static_cast<std::size_t>(first - changes.begin());
  while (before > 0 && states[before].size() < kLeastRunsOfState) --before;
  std::size_t now = states.size() - 1;
  while (now > before && states[now].size() < kLeastRunsOfState) --now;
  const bool is_alone = now == before;
  if (is_alone) now = states.size() - 1;
  judged.before = momentsOf(states[before]).mean;
  judged.after = momentsOf(states[now]).mean;
  judged.since = runOfMost(judged, before, now);
  judged.kind = kindOf(key, judged.series, floor, judged.before, judged.after);
  if (judged.kind == ChangeKind::kNone) return;
  if (is_alone || hangsOnOne(states[before], states[now], max_p)) {
    // What is better hides no regression.
    judged.kind = judged.kind == ChangeKind::kWorse ? ChangeKind::kOpen
                                                    : ChangeKind::kNone;
  }
}

}  // namespace

void judgeSeries(const HistoryKey& key, const HistoryLimits& limits,
                 double max_p, std::uint32_t first_new, JudgedSeries& judged) {
  addChanges(changePoints(judged.series.of.values,
                          {limits.window, max_p, limits.floor}),
             first_new, judged);
  judgeNews(key, limits.floor, max_p, judged);
  tellPower(limits, max_p, judged);
}

}  // namespace traced
