#include "analysis/history/history_verdict.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analysis/compare/side_values.h"
#include "analysis/history/came_or_went.h"
#include "analysis/history/following.h"
#include "analysis/history/judge_series.h"

namespace traced {
namespace {

bool isTested(const ReadySeries& series) {
  return !series.is_small && !series.is_constant;
}

// Of a history in which nothing changes a change is told with a chance of at
// most alpha: each series could be told to change at each run (Bonferroni).
double largestP(const HistoryLimits& limits, std::size_t series,
                std::size_t runs) {
  if (limits.max_p > 0) return limits.max_p;
  const auto tests = static_cast<double>(std::max<std::size_t>(series, 1)) *
                     static_cast<double>(std::max<std::size_t>(runs, 1));
  return limits.alpha / tests;
}

// Whether a step that it makes longer must be seen to be; see comparison.cc.
bool mustBeSeen(const ReadySeries& series) {
  return isTested(series) && isTime(series.part) &&
         series.part != RunPart::kWaitForPeers;
}

// By how much a step could have become longer and not be told from chance.
double unseenOfStep(const JudgedSeries& judged) {
  if (!judged.significant_from) return std::numeric_limits<double>::infinity();
  return judged.series.share * *judged.significant_from;
}

void holdAgainstPower(const History& history, HistoryVerdict& verdict) {
  const std::size_t least = 2 * kLeastRunsOfState;
  if (verdict.runs.size() < least) {
    verdict.not_measured.push_back(absl::StrCat(
        "too few runs: ", verdict.runs.size(), " that can be compared, and a ",
        "change takes at least ", least));
    return;
  }
  const JudgedSeries* worst = nullptr;
  for (const JudgedSeries& judged : verdict.series) {
    if (!mustBeSeen(judged.series)) continue;
    if (!worst || unseenOfStep(judged) > unseenOfStep(*worst)) worst = &judged;
  }
  if (!worst || unseenOfStep(*worst) <= verdict.limits.floor) return;
  const RunPart part = worst->series.part;
  const std::string name = absl::StrCat(
      wordsOf(part), " of ", nameOf(history.keys[worst->series.key].key));
  verdict.not_measured.push_back(
      worst->significant_from
          ? absl::StrCat("a step could be ",
                         absl::StrFormat("%.1f %%", 100 * unseenOfStep(*worst)),
                         " longer", part == RunPart::kStep ? "" : " by " + name,
                         " in the latest ", worst->power_runs,
                         " runs and not be told from chance: more runs, a "
                         "quieter machine, or a larger --floor")
          : absl::StrCat("too few runs since the last change of ", name));
}

}  // namespace

bool HistoryVerdict::hasRegression() const {
  return !came_or_went.empty() ||
         std::any_of(series.begin(), series.end(), [](const auto& judged) {
           return judged.kind == ChangeKind::kWorse;
         });
}

HistoryVerdict judgeHistory(const History& history,
                            const HistoryLimits& limits) {
  HistoryVerdict verdict;
  verdict.limits = limits;
  ReadyHistory ready = makeReady(history, limits);
  verdict.runs = std::move(ready.runs);
  verdict.notes = std::move(ready.notes);
  verdict.tested = static_cast<std::size_t>(
      std::count_if(ready.series.begin(), ready.series.end(), isTested));
  verdict.max_p = largestP(limits, verdict.tested, verdict.runs.size());
  const std::size_t news = std::min(limits.newest, verdict.runs.size());
  const std::uint32_t first_new = verdict.runs[verdict.runs.size() - news];
  for (ReadySeries& series : ready.series) {
    JudgedSeries judged;
    judged.series = std::move(series);
    if (isTested(judged.series)) {
      const HistoryKey& key = history.keys[judged.series.key];
      judgeSeries(key, limits, verdict.max_p, first_new, judged);
    }
    verdict.series.push_back(std::move(judged));
  }
  tellFollowing(history, verdict.series);
  verdict.came_or_went = cameOrWent(history, verdict.runs, first_new);
  for (const JudgedSeries& judged : verdict.series) {
    if (judged.kind != ChangeKind::kOpen) continue;
    verdict.not_measured.push_back(absl::StrCat(
        wordsOf(judged.series.part), " of ",
        nameOf(history.keys[judged.series.key].key),
        " seems to have changed, but without one of the latest runs that "
        "would not be significant"));
  }
  holdAgainstPower(history, verdict);
  return verdict;
}

}  // namespace traced
