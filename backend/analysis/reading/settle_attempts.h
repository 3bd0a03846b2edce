// Gives each start of a job one attempt number when torchrun runs on several
// hosts.
//
// Each torchrun counts its own restarts. If all ranks of its host were alive,
// it restarts them together with the others and counts nothing. Ranks of one
// start may therefore report different attempts, and ranks of two starts the
// same one:
//
// start    rank 0, of a host      rank 1, of another     settled
// first    attempt 0              attempt 0, is killed   attempt 0
// second   attempt 0              attempt 1              attempt 1

#pragma once

#include "analysis/reading/stream_end.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// Sets the attempt of all streams of one start to the highest among them, and
// above that of the previous start. Other streams are unchanged. Starts are
// distinguished by the name that their ranks agreed on (Rendezvous.start).
// Without names, launchers with equally many starts are paired in order.
// Otherwise starts are found by wall clocks, and their streams are marked with
// start_by_clock.
void settleAttempts(TraceSet& set);

// Returns whether the stream's attempt follows from the name of its start.
bool isOfNamedStart(const v1::Header& header);

// Clears start names that prove nothing: a rank or process has two streams with
// that name, or took part in several starts. Then numbers the starts of each
// job in order, like settleAttempts(). Launchers that share a start belong to
// one job.
void settleNamedStarts(TraceSet& set, StreamEnds& ends);

}  // namespace traced
