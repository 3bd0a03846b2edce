// What every function of the runtime begins with, and how it fails.

#pragma once

#include <cuda_runtime_api.h>

namespace simulated {

// One call of the program: counted by function and thread.
class Call {
 public:
  explicit Call(const char* function);

  // Makes a context of the thread's current device if there is none.
  void needContext() const;

  // The error that the device is in, which nothing heals; else success.
  cudaError_t deviceError() const;

  // If a capture is under way that forbids this call: invalidates the capture
  // and returns the error, else success.
  cudaError_t forbiddenInCapture() const;

  // For what CUDA refuses, and a correct program never does. Told on stderr and
  // in the file SIMULATED_CUDA_REFUSALS; then the thread's last error.
  cudaError_t refuse(cudaError_t error, const char* why) const;

 private:
  const char* function_;
};

// Makes an error the thread's last one, and returns it. Success changes
// nothing.
cudaError_t remember(cudaError_t error);

// From now on every call fails with this error, and streams do nothing more.
void breakDevice(cudaError_t error);
bool deviceIsBroken();

}  // namespace simulated

// Begins a function that an error of the device makes fail.
#define SIMULATED_CALL_WITHOUT_CONTEXT          \
  const ::simulated::Call call(__func__);       \
  if (const auto broken = call.deviceError()) { \
    return ::simulated::remember(broken);       \
  }

// The same of one that may make a context, as most do.
#define SIMULATED_CALL           \
  SIMULATED_CALL_WITHOUT_CONTEXT \
  call.needContext();

// Begins one that must not be called while a capture is under way.
#define SIMULATED_CALL_OUTSIDE_CAPTURES                   \
  SIMULATED_CALL                                          \
  if (const auto forbidden = call.forbiddenInCapture()) { \
    return forbidden;                                     \
  }
