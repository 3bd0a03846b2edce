// Draws a run and its replay without imbalance, for ui.perfetto.dev.

#pragma once

#include <string>

#include "analysis/whatif/replay.h"

namespace traced {

// Writes a process per rank, with a track for each of both runs. Both begin at
// 0. Returns false if the file cannot be written.
bool writeTimeline(const whatif::ReplayJob& job,
                   const whatif::ReplayedTimes& ideal, const std::string& path);

}  // namespace traced
