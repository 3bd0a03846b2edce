#include "analysis/report/step_summary.h"

#include <algorithm>
#include <array>

#include "analysis/figures/samples.h"

namespace traced {
namespace {

using Parts = std::array<std::uint64_t, kStepParts>;

// Returns the mean over ranks of each part.
Parts partsOf(const StepTimes& step) {
  const TimeBreakdown& time = step.time;
  Parts parts = {time.computing_ns + time.hidden_ns,
                 time.exposed_wait_for_peers_ns,
                 time.exposed_transfer_ns,
                 time.undecided_ns,
                 time.calls_ns,
                 time.may_wait_ns};
  for (std::uint64_t& part : parts) part /= step.count;
  return parts;
}

// Returns the median over steps of each part.
Parts medianParts(const std::vector<const StepTimes*>& steps) {
  Parts medians{};
  std::vector<std::uint64_t> values(steps.size());
  for (std::size_t part = 0; part < kStepParts; ++part) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      values[i] = partsOf(*steps[i])[part];
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(
                                             nearestRank(values.size(), 50));
    std::nth_element(values.begin(), middle, values.end());
    medians[part] = *middle;
  }
  return medians;
}

StepSummary::Slow slowOf(const StepTimes& step, const Parts& medians) {
  StepSummary::Slow slow{step.first, step.longest_ns};
  const Parts parts = partsOf(step);
  for (std::size_t part = 0; part < kStepParts; ++part) {
    if (parts[part] <= medians[part] + slow.more_ns) continue;
    slow.part = static_cast<StepPart>(part);
    slow.more_ns = parts[part] - medians[part];
  }
  const bool by_peers =
      slow.part == StepPart::kWaitForPeers || slow.part == StepPart::kTransfer;
  if (by_peers && step.time.uncertain_ns / step.count > slow.more_ns) {
    slow.part = StepPart::kUndecided;
  }
  return slow;
}

}  // namespace

std::optional<StepSummary> summarizeSteps(const StepPicture& picture) {
  if (!picture.by_step || picture.per_entry > 1) return std::nullopt;
  std::vector<const StepTimes*> steps;
  std::uint64_t most = 1;
  for (const StepTimes& step : picture.entries) {
    most = std::max(most, step.count);
  }
  for (const StepTimes& step : picture.entries) {
    if (step.count == most && step.not_ended == 0) steps.push_back(&step);
  }
  if (steps.empty()) return std::nullopt;
  std::stable_sort(steps.begin(), steps.end(),
                   [](const StepTimes* a, const StepTimes* b) {
                     return a->longest_ns < b->longest_ns;
                   });
  StepSummary summary;
  summary.steps = steps.size();
  summary.p50_ns = steps[nearestRank(steps.size(), 50)]->longest_ns;
  summary.p99_ns = steps[nearestRank(steps.size(), 99)]->longest_ns;
  const Parts medians = medianParts(steps);
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const std::uint64_t extra_ns = (*step)->longest_ns - summary.p50_ns;
    if (extra_ns <= summary.p50_ns / 5) break;
    if (summary.slowest.size() < StepSummary::kMaxSlow) {
      summary.slowest.push_back(slowOf(**step, medians));
    }
    if ((*step)->computed_longer == most) {
      ++summary.stalls;
      summary.stalled_ns += extra_ns;
    }
  }
  return summary;
}

}  // namespace traced
