// Diagnosis: all verdicts about a run, root causes first.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/verdicts/verdict.h"
#include "analysis/reading/trace_set.h"

namespace traced {

struct Diagnosis {
  JobState job;
  std::vector<JobVerdict> verdicts;
  // Of all verdicts but those that are undecided: ascending.
  std::vector<std::uint32_t> culprits;
  // Operations that had not ended when the trace did, too young to be judged.
  std::uint64_t under_way = 0;
  // Names of the rules that need what these sources do not tell.
  std::vector<std::string> rules_left_out;
  // Ranks of which nobody knows what they did last: without a verdict this is
  // no sound job. Ascending.
  std::vector<std::uint32_t> end_unknown;
  // All ranks, if there is no verdict, none closed its trace, and what ended
  // some of them is not recorded: this is no sound job, either. Ascending.
  std::vector<std::uint32_t> ended_unclosed;

  // Either of both.
  const std::vector<std::uint32_t>& howEndedUnknown() const {
    return end_unknown.empty() ? ended_unclosed : end_unknown;
  }
  bool healthy() const { return verdicts.empty() && howEndedUnknown().empty(); }
};

// Judges what was read; the set is that of the streams.
Diagnosis judge(JobState job, const TraceSet& set,
                const DiagnosisOptions& options);

// Reads the selected streams, on all cores, and judges them.
Diagnosis diagnose(const TraceSet& set, const DiagnosisOptions& options);

}  // namespace traced
