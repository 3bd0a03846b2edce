// Inquiry is what a late rank, and ranks on time, used meanwhile.

#pragma once

#include <optional>
#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/lateness/resource_use.h"
#include "analysis/diagnosis/verdicts/verdict.h"
#include "analysis/job/covered_windows.h"
#include "analysis/reading/trace_set.h"

namespace traced {

struct Inquiry {
  Inquiry(JobVerdict& its_verdict, const LateTimes& its_late)
      : verdict(&its_verdict), late(&its_late), windows(its_late.windows) {}

  JobVerdict* verdict;
  const LateTimes* late;
  CoveredWindows windows;
  // Absent if samples do not cover the time in which the rank was late.
  std::optional<ResourceUse> own;
  // Of the ranks on time whose samples cover that time.
  std::vector<ResourceUse> others;
};

// Returns an inquiry for each late rank of the verdicts, or for those that were
// late for longest. Reads the traces of these ranks, and of those to compare
// with, again. Refers to `verdicts`.
std::vector<Inquiry> inquire(const JobState& job, const TraceSet& set,
                             std::vector<JobVerdict>& verdicts);

}  // namespace traced
