// Maps verdicts to the action that helps a job: restart it, replace a host, fix
// the program, or none.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/verdicts/action_rules.h"
#include "analysis/diagnosis/verdicts/verdict.h"

namespace traced {

// What to do, and about which processes. All lists are empty if nothing is to
// be done.
struct RecommendedAction {
  ActionRule rule = ActionRule::kHealthy;
  Confidence confidence = Confidence::kCertain;
  // Ascending: the culprits, or all ranks that the verdict is about if it names
  // none; their hosts; and the process ids of those that still run here.
  std::vector<std::uint32_t> ranks;
  std::vector<std::string> hosts;
  std::vector<std::int64_t> pids;

  Action action() const { return traitsOf(rule).action; }
};

// Returns the action for one verdict.
RecommendedAction actionFor(const JobState& job, const JobVerdict& verdict);

// Returns the action for a job: that of the first verdict that has one.
// `verdicts` are sorted root causes first. `healthy`: nothing is wrong or
// unknown.
RecommendedAction actionFor(const JobState& job,
                            absl::Span<const JobVerdict> verdicts,
                            bool healthy);

}  // namespace traced
