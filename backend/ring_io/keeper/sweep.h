// Cleans up rings that older jobs of this user left and that no keeper watches.

#pragma once

#include <chrono>
#include <ctime>
#include <string>

namespace traced {

// Recovers the rings of dead processes whose trace can be written.
// A ring that cannot be recovered is marked by removing its write permission. A
// sweep removes it if it still fails a day later.
// Begins no ring after this call has used `time` of CPU, except rings whose
// traces are in `folder`. `now` is wall-clock time in seconds.
// Also removes lock files that dead keepers left more than a day ago.
void sweepRings(const std::string& directory, std::chrono::milliseconds time,
                std::time_t now, const std::string& folder = "");

}  // namespace traced
