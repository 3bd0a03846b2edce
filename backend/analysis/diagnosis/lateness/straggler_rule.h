// A rank that keeps the others of a group waiting, time and again. See
// docs/diagnosis.md, "Stragglers".

#pragma once

#include <optional>

#include "analysis/diagnosis/evidence/job_state.h"
#include "analysis/diagnosis/lateness/lateness.h"
#include "analysis/diagnosis/telling/verdict.h"

namespace traced {

std::optional<JobVerdict> findStraggler(std::uint32_t group,
                                        const GroupLateness& lateness,
                                        const StandsOut& stands_out);

}  // namespace traced
