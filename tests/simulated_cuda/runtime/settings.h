// How the simulation is to behave: from the environment, or as it was told
// since.

#pragma once

namespace simulated {

// The setting of this name, in SIMULATED_CUDA_... or SIMULATED_NCCL_...; what
// the environment says is read when it is first asked for.
double setting(const char* name, double fallback);

// Sets it from now on.
void setSetting(const char* name, double value);

}  // namespace simulated
