// Reports calls that CUDA refuses. The simulation exists to detect them.

#pragma once

namespace simulated {

// Prints to stderr and adds a line to the file SIMULATED_CUDA_REFUSALS.
void printRefusal(const char* function, const char* why);

}  // namespace simulated
