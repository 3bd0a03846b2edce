// Contexts: the memory that a device holds for this process from its first use
// to the end of the process. On a real device this takes some hundred MB.

#pragma once

#include <string>

namespace simulated {

// Creates the device's context unless it exists, on behalf of this function and
// the calling thread.
void makeContext(int device, const char* function);
bool hasContext(int device);

// Returns whether the exit handler that CUDA registers at its first use has
// run.
bool hasEnded();

// Returns the name of the calling thread.
std::string threadName();

}  // namespace simulated
