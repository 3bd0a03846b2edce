// Contexts: what a device holds for this process once it has done anything
// there, some hundred MB on a real one, until the process ends.

#pragma once

#include <string>

namespace simulated {

// Makes the device's context unless there is one: by this function, in the
// calling thread.
void makeContext(int device, const char* function);
bool hasContext(int device);

// Whether the handler has run that CUDA leaves at exit when it is first used.
bool hasEnded();

// Of the calling thread.
std::string threadName();

}  // namespace simulated
