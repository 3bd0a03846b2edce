// The functions of the simulated CUDA runtime that the simulated NCCL uses.

#pragma once

#include <functional>

extern "C" {

// Puts work on a stream or, during a capture, into its graph. Returns a
// cudaError_t.
int simulated_cuda_enqueue(void* stream, const std::function<void()>* work);
int simulated_cuda_capturing(void* stream);
// Returns whether a kernel can read and write at `address`.
int simulated_cuda_reachable(const void* address);
void simulated_cuda_refused(const char* function, const char* why);
double simulated_cuda_setting(const char* name, double fallback);

}  // extern "C"
