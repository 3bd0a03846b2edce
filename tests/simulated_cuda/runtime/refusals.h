// Calls that CUDA refuses are what the simulation is there to find.

#pragma once

namespace simulated {

// Says it on stderr and adds a line to the file SIMULATED_CUDA_REFUSALS.
void printRefusal(const char* function, const char* why);

}  // namespace simulated
