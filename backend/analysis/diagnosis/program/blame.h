// Blames the ranks that left the program's order of calls, or that made an
// extra call or left one out, as call sites show.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diagnosis/program/program_order.h"
#include "analysis/diagnosis/program/site_order.h"
#include "analysis/diagnosis/stuck_operations/stuck_operation.h"
#include "analysis/diagnosis/verdicts/verdict.h"

namespace traced {

// Puts the shift at the front of the summary and the reasons. Replaces the
// culprits by those of the shift.
void nameShift(const SiteShift& shift, JobVerdict& verdict);

// Blames ranks for an operation that some ranks did not join. Returns whether
// call sites show why.
bool blameBySite(const JobState& job, ProgramOrder& order,
                 const StuckOperation& stuck, JobVerdict& verdict);

// Names a shift if the call sites prove only that the missing ranks made their
// last call at another line than the waiting ones.
void doubtBySite(const JobState& job, ProgramOrder& order,
                 const StuckOperation& stuck, JobVerdict& verdict);

// Blames the ranks that left the order. Does nothing if `answer` names none.
void nameDeviants(const ProgramOrder::Answer& answer, JobVerdict& verdict);

// Blames ranks for operations that are stuck for one reason: a single one, or
// those of a cycle. If neither the order nor a majority decides, blames both
// sides.
void blameByOrder(const JobState& job, ProgramOrder& order,
                  const std::vector<const StuckOperation*>& all_stuck,
                  JobVerdict& verdict);

}  // namespace traced
