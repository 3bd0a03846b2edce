// The list of all rules of a diagnosis. Each names the capabilities it needs. A
// rule is skipped if the run's sources lack one. See
// docs/reference/diagnosis.md, "What a rule needs".

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/diagnosis/diagnosis.h"
#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/program/program_order.h"
#include "analysis/diagnosis/verdicts/verdict.h"
#include "analysis/reading/trace_set.h"
#include "analysis/stream/source_capabilities.h"

namespace traced {

// The input of a rule. Everything referenced must outlive it.
struct RuleInput {
  const JobState& job;
  const TraceSet& set;
  const DiagnosisOptions& options;
  // Findings of the earlier rules. Empty for a rule that runs in parallel.
  const std::vector<JobVerdict>& found;
  // Rules that run in parallel must not use it.
  ProgramOrder& order;
  // Incremented by the rule that judges operations that have not ended.
  std::uint64_t& under_way;
};

struct Rule {
  const char* name;
  CapabilitySet needs;
  // Slow, and independent of the other rules: runs on its own thread.
  bool beside;
  std::vector<JobVerdict> (*find)(const RuleInput& input);

  bool canJudge(const JobState& job) const {
    return job.capabilities.hasAll(needs);
  }
};

// Returns the rules in the order in which they run.
std::span<const Rule> rules();

// Returns whether the times of a run's operations can be compared.
bool hasOwnTimes(const JobState& job);

}  // namespace traced
