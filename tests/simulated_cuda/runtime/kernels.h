// The few kernels that are simulated. All others do nothing.

#pragma once

#include "runtime/streams.h"

namespace simulated {

// Returns the work of the kernel with a mangled name and these arguments, or
// null for an unknown kernel.
Work knownKernel(const char* mangled, void** args);

}  // namespace simulated
