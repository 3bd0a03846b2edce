// Names those who left the order in which the program makes its calls, or made
// or left out a call, as call sites show it.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diagnosis/program/program_order.h"
#include "analysis/diagnosis/program/site_order.h"
#include "analysis/diagnosis/stuck_operations/stuck_operation.h"
#include "analysis/diagnosis/verdicts/verdict.h"

namespace traced {

// Puts the shift first, and names its culprits; without them nobody outvotes
// anybody.
void nameShift(const SiteShift& shift, JobVerdict& verdict);

// Of an operation that some did not join. Returns whether call sites show why.
bool blameBySite(const JobState& job, ProgramOrder& order,
                 const StuckOperation& stuck, JobVerdict& verdict);

// Where they show no more than that the missing made their last call at another
// line than those who wait.
void doubtBySite(const JobState& job, ProgramOrder& order,
                 const StuckOperation& stuck, JobVerdict& verdict);

// Names those who left the order, if that can be told.
void nameDeviants(const ProgramOrder::Answer& answer, JobVerdict& verdict);

// Of what stands still for one reason: the operations of a cycle, or one. Where
// the order does not tell, and no majority does, both sides are named.
void blameByOrder(const JobState& job, ProgramOrder& order,
                  const std::vector<const StuckOperation*>& all_stuck,
                  JobVerdict& verdict);

}  // namespace traced
