// What older jobs of this user left in a folder of rings, and no keeper looks
// after.

#pragma once

#include <chrono>
#include <ctime>
#include <string>

namespace traced {

// Recovers rings of dead processes whose trace can be written. One that cannot
// be recovered is marked, by taking the right to write it away, and removed by
// a sweep that finds it so a day later. Begins none after so much processor
// time of this process, except those whose traces are in `folder`. `now` is by
// the wall clock, in seconds.
void sweepRings(const std::string& directory, std::chrono::milliseconds time,
                std::time_t now, const std::string& folder = "");

}  // namespace traced
