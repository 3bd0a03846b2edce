// Recovers rings that killed processes left behind.

#pragma once

#include <string>
#include <vector>

#include "ring_io/recovery/recover_segments.h"

namespace traced {

// Returns the directories that may hold rings: /dev/shm, and TRACED_RING_DIR if
// it is set.
std::vector<std::string> ringDirectories();

// Describes a segment in one sentence. The segment must not be live.
std::string sentenceAbout(const RecoveredSegment& segment, bool dry_run);

// Recovers the rings that belong to the inputs of a command and reports each on
// stderr. Returns a warning for each ring that could not be recovered.
std::vector<std::string> recoverInputs(const std::vector<std::string>& inputs);

}  // namespace traced
