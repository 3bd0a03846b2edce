// Starts of a job that its ranks gave names to (Rendezvous.start).

#pragma once

#include "analysis/reading/stream_end.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// Whether the attempt of a stream follows from the name of its start.
bool isOfNamedStart(const v1::Header& header);

// Removes names that prove nothing from the headers: a rank or a process has
// two streams of that name, or took part in several starts. Then numbers the
// starts of each job in their order, as settleAttempts() says. Launchers that
// began ranks of one start belong to one job.
void settleNamedStarts(TraceSet& set, StreamEnds& ends);

}  // namespace traced
