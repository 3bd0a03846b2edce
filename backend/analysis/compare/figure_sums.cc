#include "analysis/compare/figure_sums.h"

#include <algorithm>
#include <utility>

#include "analysis/compare/compare_limits.h"
#include "analysis/statistics/median.h"

namespace traced {
namespace {

constexpr std::array<RunPart, 4> kTimesOfCalls = {
    RunPart::kOwnCall, RunPart::kWaitForPeers, RunPart::kTransfer,
    RunPart::kExposed};

constexpr std::size_t indexOf(RunPart part) {
  return static_cast<std::size_t>(part);
}

std::optional<double> middle(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  return median(std::move(values));
}

// Returns the number of steps, as a divisor.
double stepsOf(const Stretches& stretches) {
  return static_cast<double>(std::max<std::uint64_t>(stretches.steps(), 1));
}

}  // namespace

std::optional<std::uint32_t> FigureSums::keyOf(const RunKey& key) {
  const auto known = index_by_key_.find(key);
  if (known != index_by_key_.end()) return known->second;
  if (sums_.size() == kMaxKeys) return std::nullopt;
  const auto index = static_cast<std::uint32_t>(sums_.size());
  index_by_key_[key] = index;
  sums_.emplace_back().key = key;
  return index;
}

void FigureSums::add(std::uint32_t key, std::uint32_t stretch,
                     std::uint64_t bytes, const OperationTimes& times) {
  OfKey& sums = sums_[key];
  ++sums.calls;
  sums.bytes += bytes;
  Cell& cell = sums.cells[stretch];
  ++cell.calls;
  for (std::size_t i = 0; i < kRunParts; ++i) cell.parts[i].add(times.parts[i]);
  cell.ahead.add(times.ahead);
  cell.uncertain_ns += times.uncertain;
  cell.byte_ns += static_cast<double>(bytes) * times.under_way.value_or(0);
}

void FigureSums::add(const FigureSums& others) {
  left_out_ += others.left_out_;
  for (const auto& [stretch, cell] : others.covered_) {
    covered_[stretch].add(cell);
  }
  for (const auto& [rank, ns] : others.caused_ns_) caused_ns_[rank] += ns;
  for (const OfKey& theirs : others.sums_) {
    const auto key = keyOf(theirs.key);
    if (key) {
      sums_[*key].add(theirs);
    } else {
      left_out_ += theirs.calls;
    }
  }
}

void FigureSums::OfKey::add(const OfKey& other) {
  for (const auto& [stretch, cell] : other.cells) cells[stretch].add(cell);
  calls += other.calls;
  bytes += other.bytes;
  for (const auto& [rank, ns] : other.caused_ns) caused_ns[rank] += ns;
  for (const auto& [rank, sum] : other.computed) computed[rank].add(sum);
  for (const auto& [site, count] : other.sites) sites[site] += count;
}

void FigureSums::Cell::add(const Cell& other) {
  for (std::size_t i = 0; i < kRunParts; ++i) parts[i].add(other.parts[i]);
  ahead.add(other.ahead);
  byte_ns += other.byte_ns;
  uncertain_ns += other.uncertain_ns;
  calls += other.calls;
}

KeyFigures FigureSums::figuresOf(const OfKey& sums,
                                 const Stretches& stretches) {
  KeyFigures figures;
  const double steps = stepsOf(stretches);
  figures.values[indexOf(RunPart::kCalls)] =
      static_cast<double>(sums.calls) / steps;
  figures.values[indexOf(RunPart::kBytes)] =
      static_cast<double>(sums.bytes) / steps;
  for (const RunPart part : kTimesOfCalls) {
    std::vector<double> means;
    for (const auto& [stretch, cell] : sums.cells) {
      const Sum& sum = cell.parts[indexOf(part)];
      if (sum.count == 0) continue;
      means.push_back(sum.ns / static_cast<double>(sum.count));
    }
    figures.values[indexOf(part)] = middle(std::move(means));
  }
  std::vector<double> ahead, uncertain;
  for (const auto& [stretch, cell] : sums.cells) {
    uncertain.push_back(cell.uncertain_ns / static_cast<double>(cell.calls));
    if (cell.ahead.count == 0) continue;
    ahead.push_back(cell.ahead.ns / static_cast<double>(cell.ahead.count));
  }
  figures.ahead_ns = middle(std::move(ahead));
  figures.uncertain_ns = median(std::move(uncertain));
  for (const auto& [rank, ns] : sums.caused_ns) {
    figures.caused_ns[rank] = ns / steps;
  }
  for (const auto& [rank, sum] : sums.computed) {
    figures.computed_ns[rank] = sum.ns / static_cast<double>(sum.count);
  }
  figures.site = commonest(sums);
  return figures;
}

std::string FigureSums::commonest(const OfKey& sums) {
  std::string most;
  std::uint64_t calls = 0;
  for (const auto& [site, count] : sums.sites) {
    if (count < calls || (count == calls && site > most)) continue;
    most = site;
    calls = count;
  }
  return most;
}

void FigureSums::addTotal(const Stretches& stretches,
                          RunFigures& figures) const {
  std::vector<Cell> all(stretches.count());
  double calls = 0, bytes = 0;
  for (const OfKey& sums : sums_) {
    calls += static_cast<double>(sums.calls);
    bytes += static_cast<double>(sums.bytes);
    for (const auto& [stretch, cell] : sums.cells) {
      all[stretch].add(cell);
    }
  }
  const double steps = stepsOf(stretches);
  figures.total[indexOf(RunPart::kCalls)] = calls / steps;
  figures.total[indexOf(RunPart::kBytes)] = bytes / steps;
  for (const RunPart part : kTimesOfCalls) {
    std::vector<double> of_steps;
    bool seen = false;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      const auto covered = covered_.find(i);
      const bool may_overlap = covered != covered_.end() &&
                               covered->second.parts[indexOf(part)].count > 0;
      const Sum& sum =
          (may_overlap ? covered->second : all[i]).parts[indexOf(part)];
      if (stretches.rankStepsOf(i) == 0) continue;
      seen |= sum.count > 0;
      of_steps.push_back(sum.ns / stretches.rankStepsOf(i));
    }
    if (seen) figures.total[indexOf(part)] = middle(std::move(of_steps));
  }
  std::vector<double> in_flight;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const double ns = stretches.stepNs(i) * stretches.rankStepsOf(i);
    if (ns > 0) in_flight.push_back(all[i].byte_ns / ns);
  }
  figures.total[indexOf(RunPart::kInFlight)] = middle(std::move(in_flight));
  figures.total[indexOf(RunPart::kStep)] = stretches.medianStepNs();
}

void FigureSums::finish(const Stretches& stretches, RunFigures& figures) const {
  figures.step_count = stretches.steps();
  for (const OfKey& sums : sums_) {
    figures.keys[sums.key] = figuresOf(sums, stretches);
  }
  const double steps = stepsOf(stretches);
  for (const auto& [rank, ns] : caused_ns_) {
    figures.caused_ns[rank] = ns / steps;
  }
  addTotal(stretches, figures);
}

}  // namespace traced
