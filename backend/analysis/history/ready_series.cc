#include "analysis/history/ready_series.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/statistics/median.h"

namespace traced {
namespace {

std::string shapeOf(const HistoryRun& run) {
  return absl::StrCat(
      run.world_size, " ranks, ",
      run.stepped ? absl::StrCat("steps ", run.steps) : "no marked steps");
}

HistorySeries only(const HistorySeries& series,
                   const std::vector<bool>& taken) {
  HistorySeries kept;
  for (std::size_t i = 0; i < series.runs.size(); ++i) {
    if (!taken[series.runs[i]]) continue;
    kept.runs.push_back(series.runs[i]);
    kept.values.push_back(series.values[i]);
  }
  return kept;
}

// Of the key's parts: what makes a value one of a step.
class Shares {
 public:
  Shares(const History& history, const std::vector<bool>& taken)
      : taken_(taken) {
    const HistoryKey& total = history.keys.front();
    step_ns_ = middleOf(only(total.of(RunPart::kStep), taken).values);
    world_ = std::max<double>(history.runs.back().world_size, 1);
  }
  // How much of a step one ns of the figure is; 0 where steps are not known.
  double perNs(const HistoryKey& key) const {
    if (step_ns_ <= 0) return 0;
    if (!key.key) return 1 / step_ns_;
    return middleOf(only(key.of(RunPart::kCalls), taken_).values) / world_ /
           step_ns_;
  }

 private:
  const std::vector<bool>& taken_;
  double step_ns_ = 0;
  double world_ = 1;
};

void tellSmall(ReadySeries& series, double per_ns, double least_share) {
  const std::vector<double>& values = series.of.values;
  series.share = middleOf(values) * per_ns;
  if (per_ns <= 0) return;
  series.least = least_share / per_ns;
  series.is_small =
      std::all_of(values.begin(), values.end(),
                  [&](double value) { return value < series.least; });
}

}  // namespace

ReadyHistory makeReady(const History& history, const HistoryLimits& limits) {
  ReadyHistory ready;
  const std::string shape = shapeOf(history.runs.back());
  std::vector<bool> taken;
  for (std::uint32_t i = 0; i < history.runs.size(); ++i) {
    taken.push_back(shapeOf(history.runs[i]) == shape);
    if (taken.back()) ready.runs.push_back(i);
  }
  const std::size_t others = history.runs.size() - ready.runs.size();
  if (others > 0) {
    ready.notes.push_back(
        absl::StrCat(others, others == 1 ? " run is" : " runs are",
                     " left out: not of ", shape, " as the latest run"));
  }
  const Shares shares(history, taken);
  for (std::size_t k = 0; k < history.keys.size(); ++k) {
    const HistoryKey& key = history.keys[k];
    const double per_ns = shares.perNs(key);
    for (std::size_t i = 0; i < kRunParts; ++i) {
      ReadySeries series{k, static_cast<RunPart>(i), only(key.parts[i], taken)};
      const std::vector<double>& values = series.of.values;
      if (values.empty()) continue;
      if (isTime(series.part)) tellSmall(series, per_ns, limits.least_share);
      series.is_constant =
          std::all_of(values.begin(), values.end(),
                      [&](double value) { return value == values.front(); });
      ready.series.push_back(std::move(series));
    }
  }
  return ready;
}

}  // namespace traced
