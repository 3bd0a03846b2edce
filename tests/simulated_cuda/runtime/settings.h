// Settings of the simulation, from the environment or set at run time.

#pragma once

namespace simulated {

// Returns the setting of this name, SIMULATED_CUDA_... or SIMULATED_NCCL_....
// The environment is read at the first request.
double setting(const char* name, double fallback);

// Sets it from now on.
void setSetting(const char* name, double value);

}  // namespace simulated
