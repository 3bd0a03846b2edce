// When a rank was ready for an operation. That is not when it issued it: hosts
// run ahead of devices, and operations queue.

#pragma once

#include <vector>

#include "analysis/instant.h"
#include "analysis/stream_table.h"

namespace traced {

struct ReadyTime {
  // At the latest, and at the earliest.
  Instant at;
  Instant earliest;
};

// One per operation of the stream, in their order; unknown where nothing tells:
//   - the start of the engine, where it was observed;
//   - on a device, nothing else: what it computed before is not in the trace;
//   - on the CPU the issue, or the end of the operation before on the same
//     group if that was later. Gloo has two workers per group, so there it is
//     the second-last end; a barrier waits for all that was before it, and
//     sends, receives and monitored barriers wait for nothing;
//     An end that a future told is a bound: it may have been any time before;
//   - where an end before is not known, or was only seen later than the issue,
//     nothing. Numbers that are missing are operations whose records are lost:
//     one of them keeps a worker, as far as is known, until a barrier ended.
std::vector<ReadyTime> readyTimes(const StreamTable& table);

}  // namespace traced
