#include "analysis/compare/side_values.h"

#include <algorithm>
#include <utility>

#include "analysis/statistics/median.h"

namespace traced {
namespace {

// Returns the figures of a part in all runs, or nothing if a run lacks it. Sets
// `some` if any run has it.
std::vector<double> column(const Runs& runs, const std::optional<RunKey>& key,
                           RunPart part, bool& some) {
  std::vector<double> values;
  for (const RunFigures& run : runs) {
    const PartValues* of_run = valuesOf(run, key);
    if (!of_run || !RunFigures::at(*of_run, part)) continue;
    values.push_back(*RunFigures::at(*of_run, part));
  }
  some |= !values.empty();
  if (values.size() < runs.size()) values.clear();
  return values;
}

double worstUncertain(const Runs& runs, const RunKey& key) {
  double worst = 0;
  for (const RunFigures& run : runs) {
    const auto found = run.keys.find(key);
    if (found == run.keys.end()) continue;
    worst = std::max(worst, found->second.uncertain_ns);
  }
  return worst;
}

}  // namespace

const PartValues* valuesOf(const RunFigures& run,
                           const std::optional<RunKey>& key) {
  if (!key) return &run.total;
  const auto found = run.keys.find(*key);
  return found == run.keys.end() ? nullptr : &found->second.values;
}

double stepOf(const Runs& runs) {
  std::vector<double> steps;
  for (const RunFigures& run : runs) steps.push_back(run.stepNs());
  return median(std::move(steps));
}

double callsOf(const Runs& runs, const std::optional<RunKey>& key) {
  if (!key) return 1;
  std::vector<double> calls;
  for (const RunFigures& run : runs) {
    const auto found = run.keys.find(*key);
    if (found != run.keys.end()) calls.push_back(run.callsOf(found->second));
  }
  return median(std::move(calls));
}

double leastValue(RunPart part, const std::optional<RunKey>& key,
                  const Runs& base, const Runs& fresh,
                  const CompareLimits& limits) {
  // A logarithm needs a positive value.
  constexpr double kMin = 1e-9;
  if (!isTime(part)) return kMin;
  const double calls = std::max(callsOf(base, key), kMin);
  double least = std::max(kMin, limits.least_share * stepOf(base) / calls);
  if (key && part == RunPart::kWaitForPeers) {
    least = std::max(
        {least, worstUncertain(base, *key), worstUncertain(fresh, *key)});
  }
  return least;
}

std::vector<Change> changesOf(const std::optional<RunKey>& key,
                              const Runs& base, const Runs& fresh,
                              const CompareLimits& limits,
                              std::vector<Remark>& notes) {
  std::vector<Change> changes;
  const double step_ns = stepOf(base);
  for (std::size_t i = 0; i < kRunParts; ++i) {
    Change change;
    change.part = static_cast<RunPart>(i);
    bool some = false;
    change.base = column(base, key, change.part, some);
    change.fresh = column(fresh, key, change.part, some);
    if (change.base.empty() || change.fresh.empty()) {
      if (!some) continue;
      notes.emplace_back(
          PartRemark{PartRemark::What::kNotInAll, change.part, key, 0});
      continue;
    }
    change.before = median(change.base);
    change.after = median(change.fresh);
    if (isTime(change.part) && step_ns > 0) {
      change.share = change.before * callsOf(base, key) / step_ns;
      const double after = change.after * callsOf(fresh, key) / step_ns;
      change.small = std::max(change.share, after) < limits.least_share;
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace traced
