// Finds how long each wait lasted after its meeting had ended.

#pragma once

#include "analysis/whatif/replay_job.h"

namespace traced::whatif {

// Replaces the blocked time in Event::lag_ns by the lag, and sets
// ReplayJob::usual_lag_ns. Waits that follow each other at once count as one.
void findWaitLags(ReplayJob& job);

}  // namespace traced::whatif
