// One number for each start of a job that torchrun runs on several hosts.
//
// Each torchrun counts its own restarts: where the ranks of its host all lived,
// it starts them anew with the others and counts none. So ranks of one start
// tell different attempts, and ranks of two starts the same:
//
//     start    rank 0, of a host      rank 1, of another     settled
//     first    attempt 0              attempt 0, is killed   attempt 0
//     second   attempt 0              attempt 1              attempt 1

#pragma once

#include "analysis/reading/stream_end.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// Gives streams of one start one attempt in their headers: the highest that any
// of them tells, and above that of the start before. Of others nothing changes.
// The names that ranks agreed on (Rendezvous.start) tell starts apart. Without
// names, launchers that were started as often are paired by order; else wall
// clocks tell which starts are one, and the streams say so (start_by_clock).
void settleAttempts(TraceSet& set);

// Whether the attempt of a stream follows from the name of its start.
bool isOfNamedStart(const v1::Header& header);

// Removes names that prove nothing from the headers: a rank or a process has
// two streams of that name, or took part in several starts. Then numbers the
// starts of each job in their order, as settleAttempts() says. Launchers that
// began ranks of one start belong to one job.
void settleNamedStarts(TraceSet& set, StreamEnds& ends);

}  // namespace traced
