// The beginning of every runtime function, and its ways to fail.

#pragma once

#include <cuda_runtime_api.h>

namespace simulated {

// Counts one call of the program, by function and thread.
class Call {
 public:
  explicit Call(const char* function);

  // Creates a context of the thread's current device unless it exists.
  void needContext() const;

  // Returns the sticky error of the device, or success.
  cudaError_t deviceError() const;

  // Invalidates a capture that forbids this call and returns the error. Returns
  // success otherwise.
  cudaError_t forbiddenInCapture() const;

  // Reports a call that CUDA refuses and that a correct program never makes, to
  // stderr and to the file SIMULATED_CUDA_REFUSALS. The error becomes the
  // thread's last error.
  cudaError_t refuse(cudaError_t error, const char* why) const;

 private:
  const char* function_;
};

// Makes an error the thread's last one, and returns it. Success changes
// nothing.
cudaError_t remember(cudaError_t error);

// Makes every later call fail with this error. Streams do no more work.
void breakDevice(cudaError_t error);
bool deviceIsBroken();

}  // namespace simulated

// Begins a function that fails after a device error.
#define SIMULATED_CALL_WITHOUT_CONTEXT          \
  const ::simulated::Call call(__func__);       \
  if (const auto broken = call.deviceError()) { \
    return ::simulated::remember(broken);       \
  }

// Also creates a context if needed, as most functions do.
#define SIMULATED_CALL           \
  SIMULATED_CALL_WITHOUT_CONTEXT \
  call.needContext();

// Begins a function that is forbidden during a capture.
#define SIMULATED_CALL_OUTSIDE_CAPTURES                   \
  SIMULATED_CALL                                          \
  if (const auto forbidden = call.forbiddenInCapture()) { \
    return forbidden;                                     \
  }
