// Puts what each stream told by its own clock on the common time line.

#pragma once

#include "absl/types/span.h"
#include "analysis/diagnosis/evidence/job_state.h"
#include "analysis/stream/clock_cursor.h"

namespace traced {

// All instants of a job, once. `clocks`: one per rank of the job.
void putOnCommonTime(absl::Span<const ClockCursor> clocks, JobState& job);

}  // namespace traced
