#include "analysis/compare/stretches.h"

#include "analysis/compare/compare_limits.h"
#include "analysis/statistics/median.h"

namespace traced {

Stretches::Stretches(StepRange steps)
    : steps_(steps),
      width_(steps.all() ? 1 : steps.sizeMinus1() / kMaxStretches + 1) {}

std::vector<Stretches::OwnStep> Stretches::ownSteps(
    const StreamTable& table) const {
  if (!stepped()) return {{0, table.rankTimeNs()}};
  std::vector<OwnStep> own;
  for (const Marks::Step& step : table.marks.steps()) {
    if (!steps_.holds(step.number)) continue;
    const auto ns = between(step.began, step.ended);
    if (ns) own.push_back({step.number, *ns});
  }
  return own;
}

void Stretches::add(const std::vector<OwnStep>& steps) {
  for (const OwnStep& step : steps) {
    if (stepped()) ++numbers_[step.number];
    addTime(stretchOf(step.number), step.ns);
  }
}

std::optional<std::uint32_t> Stretches::of(const StreamTable& table,
                                           const AssembledOperation& op) const {
  if (!stepped()) return 0;
  const auto number = table.marks.stepOf(op.id);
  if (!number || !steps_.holds(*number)) return std::nullopt;
  const std::uint32_t stretch = stretchOf(*number);
  if (stretch >= time_ns_.size()) return std::nullopt;
  return stretch;
}

double Stretches::stepNs(std::uint32_t stretch) const {
  const std::uint64_t steps = rank_steps_of_[stretch];
  return steps == 0 ? 0 : time_ns_[stretch] / static_cast<double>(steps);
}

double Stretches::medianStepNs() const {
  std::vector<double> means;
  for (std::uint32_t i = 0; i < count(); ++i) {
    if (rank_steps_of_[i] > 0) means.push_back(stepNs(i));
  }
  return median(std::move(means));
}

std::uint32_t Stretches::stretchOf(std::uint64_t number) const {
  return static_cast<std::uint32_t>((number - steps_.first()) / width_);
}

void Stretches::addTime(std::uint32_t stretch, std::uint64_t ns) {
  if (stretch >= time_ns_.size()) {
    time_ns_.resize(stretch + 1);
    rank_steps_of_.resize(stretch + 1);
  }
  time_ns_[stretch] += static_cast<double>(ns);
  ++rank_steps_of_[stretch];
}

}  // namespace traced
