// Names those who left the order in which the program makes its calls.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diagnosis/program/program_order.h"
#include "analysis/diagnosis/telling/verdict.h"
#include "analysis/diagnosis/trouble/trouble.h"

namespace traced {

// Names those who left the order, if that can be told.
void nameDeviants(const ProgramOrder::Answer& answer, JobVerdict& verdict);

// Of what stands still for one reason: the operations of a cycle, or one. Where
// the order does not tell, and no majority does, both sides are named.
void blameByOrder(const JobState& job, ProgramOrder& order,
                  const std::vector<const Trouble*>& troubles,
                  JobVerdict& verdict);

}  // namespace traced
