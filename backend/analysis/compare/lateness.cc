#include "analysis/compare/lateness.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "analysis/statistics/median.h"

namespace traced {
namespace {

// Returns the median over runs of how long others waited for each rank.
std::map<std::uint32_t, double> causedOf(const Runs& runs,
                                         const std::optional<RunKey>& key) {
  std::map<std::uint32_t, std::vector<double>> values;
  for (const RunFigures& run : runs) {
    const auto* caused = &run.caused_ns;
    if (key) {
      const auto found = run.keys.find(*key);
      if (found == run.keys.end()) continue;
      caused = &found->second.caused_ns;
    }
    for (const auto& [rank, ns] : *caused) values[rank].push_back(ns);
  }
  std::map<std::uint32_t, double> medians;
  for (auto& [rank, of_runs] : values) {
    // If a run lacks the rank, no rank waited for it.
    of_runs.resize(runs.size());
    medians[rank] = median(std::move(of_runs));
  }
  return medians;
}

// Returns one value per run, or nothing if a run lacks the data.
std::vector<double> computedOf(const Runs& runs, const RunKey& key,
                               std::uint32_t rank) {
  std::vector<double> values;
  for (const RunFigures& run : runs) {
    const auto figures = run.keys.find(key);
    if (figures == run.keys.end()) return {};
    const auto of_rank = figures->second.computed_ns.find(rank);
    if (of_rank == figures->second.computed_ns.end()) return {};
    values.push_back(of_rank->second);
  }
  return values;
}

Shift shiftOf(std::vector<double> before, std::vector<double> after,
              const CompareSettings& settings) {
  const double confidence = settings.limits.confidence;
  if (!settings.paired) return twoSampleShift(before, after, confidence);
  for (std::size_t i = 0; i < after.size(); ++i) after[i] -= before[i];
  return pairedShift(after, confidence);
}

}  // namespace

std::optional<std::uint32_t> culpritOf(const Runs& base, const Runs& fresh,
                                       const std::optional<RunKey>& key) {
  const auto before = causedOf(base, key);
  double all = 0, most = 0;
  std::optional<std::uint32_t> culprit;
  for (const auto& [rank, ns] : causedOf(fresh, key)) {
    const auto known = before.find(rank);
    const double more = ns - (known == before.end() ? 0 : known->second);
    if (more <= 0) continue;
    all += more;
    if (more <= most) continue;
    most = more;
    culprit = rank;
  }
  if (most <= kMaxShare * all) culprit.reset();
  return culprit;
}

std::optional<Shift> computesLonger(const Runs& base, const Runs& fresh,
                                    const CompareSettings& settings,
                                    const RunKey& key,
                                    std::optional<std::uint32_t> rank) {
  std::optional<Shift> most;
  for (const auto& [each, ns] : fresh.front().keys.at(key).computed_ns) {
    if (rank && each != *rank) continue;
    const auto before = computedOf(base, key, each);
    const auto after = computedOf(fresh, key, each);
    if (before.empty() || after.empty()) return std::nullopt;
    const Shift shift = shiftOf(before, after, settings);
    if (!most || shift.estimate > most->estimate) most = shift;
  }
  return most;
}

}  // namespace traced
