#include "analysis/job/step_windows.h"

#include <algorithm>

namespace traced {

std::vector<StepWindow> stepWindows(const StreamTable& table) {
  std::vector<StepWindow> steps;
  if (table.marks.steps().empty()) return steps;
  const Instant start(table.header.started().monotonic_ns());
  const bool hangs = std::any_of(
      table.operations.begin(), table.operations.end(),
      [&table](const AssembledOperation& op) { return table.isInFlight(op); });
  for (const Marks::Step& step : table.marks.steps()) {
    const bool hung = hangs && !step.ended.known();
    const Instant ended = hung ? table.last : step.ended;
    // Outside the reported window, operations were removed.
    if (!between(start, step.began) || !between(step.began, ended) ||
        !between(ended, table.last)) {
      continue;
    }
    const TimeWindow window{step.began.ns(), ended.ns()};
    if (!steps.empty() && window.begin_ns < steps.back().window.end_ns) {
      continue;
    }
    steps.push_back({step.number, window, !hung});
  }
  return steps;
}

}  // namespace traced
