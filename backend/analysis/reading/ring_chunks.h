// Chunks of a set that are not from files: they were read from rings, and lie
// in a file in memory.

#pragma once

#include <string>

#include "analysis/reading/trace_set.h"

namespace traced {

// Adds the chunks of a file to their streams, behind all others. A stream that
// had none is new. Before streams are selected.
void addRingChunks(TraceSet& set, const std::string& path);

}  // namespace traced
