// What a diagnosis of digests cannot have judged.

#pragma once

#include <string>
#include <vector>

#include "analysis/reading/trace_set.h"

namespace traced {

// Sentences about a set that holds digests: that only the latest operations
// were judged, and groups of which ranks called different ones before.
std::vector<std::string> digestDoubts(const TraceSet& set);

}  // namespace traced
