// The rules of a diagnosis, as one list. Each says what it needs of whoever
// recorded the run; one that needs what the run's sources do not tell is left
// out. See docs/reference/diagnosis.md, "What a rule needs".

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

// What a rule looks at. All outlive it.
struct RuleInput {
  const JobState& job;
  const TraceSet& set;
  const DiagnosisOptions& options;
  // What the rules before it found; nothing for one that runs beside them.
  const std::vector<JobVerdict>& found;
  // Not for rules that run beside others.
  ProgramOrder& order;
  // Counted by the rule that judges what has not ended.
  std::uint64_t& under_way;
};

struct Rule {
  const char* name;
  CapabilitySet needs;
  // It takes long, and what the others find is nothing to it: it runs in a
  // thread of its own.
  bool beside;
  std::vector<JobVerdict> (*find)(const RuleInput& input);

  bool canJudge(const JobState& job) const {
    return job.capabilities.hasAll(needs);
  }
};

// In the order in which they run.
std::span<const Rule> rules();

}  // namespace traced
