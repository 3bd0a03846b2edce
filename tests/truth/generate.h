// Generates random programs.

#pragma once

#include "truth/program.h"

namespace traced::truth {

// Returns the same program for the same seed and features.
Program generate(std::uint64_t seed, const Features& features);

}  // namespace traced::truth
