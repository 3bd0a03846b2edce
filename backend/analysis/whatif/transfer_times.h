// Finds how long each meeting of a job took after its last rank was ready.

#pragma once

#include "analysis/whatif/replay_job.h"

namespace traced::whatif {

// Sets the transfer times of all meetings. Decides for each group whether its
// engine buffers messages: some send then ended before its receiver was ready.
// Otherwise a send ends with its receive.
void findTransferTimes(ReplayJob& job);

}  // namespace traced::whatif
