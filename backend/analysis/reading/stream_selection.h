// Which streams belong together: a directory often holds older runs too.

#pragma once

#include "analysis/reading/trace_set.h"

namespace traced {

// Fills `selected` with one stream per rank: those of the run that the newest
// stream belongs to (same job, attempt and world size, and nothing against it:
// see same_run.h), and of each rank the stream started last. Where there are
// traces, Flight Recorder dumps are left out: they tell less of the same. A
// stream of an unknown schema is never selected. Says in `selection_warnings`
// what was left out.
void selectStreams(TraceSet& set);

}  // namespace traced
