// What killed processes left behind, as the verbs speak of it.

#pragma once

#include <string>
#include <vector>

#include "ring_io/recovery/recover_segments.h"

namespace traced {

// Where segments are looked for: /dev/shm, and TRACED_RING_DIR if it is set.
std::vector<std::string> ringDirectories();

// One sentence about a segment; not for a live one.
std::string sentenceAbout(const RecoveredSegment& segment, bool dry_run);

// Recovers what belongs to the inputs of a verb and says so on stderr. Returns
// a warning for each segment that could not be recovered.
std::vector<std::string> recoverInputs(const std::vector<std::string>& inputs);

}  // namespace traced
