// The few kernels that are computed; all others do nothing.

#pragma once

#include "runtime/streams.h"

namespace simulated {

// What the kernel of a mangled name does with these arguments; null if it is
// not known.
Work knownKernel(const char* mangled, void** args);

}  // namespace simulated
