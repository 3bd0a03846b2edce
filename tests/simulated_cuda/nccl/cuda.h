// What the simulated NCCL needs of the simulated CUDA runtime.

#pragma once

#include <functional>

extern "C" {

// Puts work on a stream or, while that is captured, into its graph.
int simulated_cuda_enqueue(void* stream, const std::function<void()>* work);
int simulated_cuda_capturing(void* stream);
// Whether a kernel could read and write there.
int simulated_cuda_reachable(const void* address);
void simulated_cuda_refused(const char* function, const char* why);
double simulated_cuda_setting(const char* name, double fallback);

}  // extern "C"
