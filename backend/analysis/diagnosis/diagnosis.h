// Diagnosis holds all verdicts about a run, root causes first.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/verdicts/actions.h"
#include "analysis/diagnosis/verdicts/verdict.h"
#include "analysis/reading/trace_set.h"

namespace traced {

struct Diagnosis {
  JobState job;
  std::vector<JobVerdict> verdicts;
  // The culprits of all verdicts, ascending and without duplicates.
  std::vector<std::uint32_t> culprits;
  // Number of operations that had not ended at the end of the trace and were
  // too young to be judged.
  std::uint64_t under_way = 0;
  // Names of the rules that did not run because the trace sources lack a
  // capability that the rule needs.
  std::vector<std::string> rules_left_out;
  // Ranks whose last actions are unknown, ascending. If any, the job does not
  // count as healthy even without a verdict.
  std::vector<std::uint32_t> end_unknown;
  // All ranks, ascending, if no verdict exists, no rank closed its trace and at
  // least one rank died for an unrecorded reason. The job then does not count
  // as healthy. Otherwise empty.
  std::vector<std::uint32_t> ended_unclosed;

  // Returns `end_unknown`, or `ended_unclosed` if the former is empty.
  const std::vector<std::uint32_t>& howEndedUnknown() const {
    return end_unknown.empty() ? ended_unclosed : end_unknown;
  }
  bool healthy() const { return verdicts.empty() && howEndedUnknown().empty(); }
  // Returns what to do about the job.
  RecommendedAction action() const {
    return actionFor(job, verdicts, healthy());
  }
};

// Judges a job that was read from the streams of `set`.
Diagnosis judge(JobState job, const TraceSet& set,
                const DiagnosisOptions& options);

// Reads the selected streams of `set` on all cores and judges them.
Diagnosis diagnose(const TraceSet& set, const DiagnosisOptions& options);

}  // namespace traced
