// The runtime's stream functions.

#include "runtime/calls.h"
#include "runtime/captures.h"
#include "runtime/streams.h"

using simulated::enqueue;
using simulated::remember;
using simulated::streamOf;

namespace {

cudaError_t destroyed(const simulated::Call& call) {
  return call.refuse(cudaErrorInvalidResourceHandle, "the stream is destroyed");
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* out, unsigned flags,
                                         int priority) {
  SIMULATED_CALL
  *out = simulated::makeStream(flags, priority);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned flags) {
  return cudaStreamCreateWithPriority(out, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t* out) {
  return cudaStreamCreateWithPriority(out, 0, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  SIMULATED_CALL
  if (handle <= cudaStreamPerThread || handle->closed()) return destroyed(call);
  handle->close();
  return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  SIMULATED_CALL
  const auto* stream = streamOf(handle);
  if (!stream) return destroyed(call);
  *priority = stream->priority;
  return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  SIMULATED_CALL_OUTSIDE_CAPTURES
  auto* stream = streamOf(handle);
  if (!stream) return destroyed(call);
  return stream->idle() ? cudaSuccess : remember(cudaErrorNotReady);
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  SIMULATED_CALL_OUTSIDE_CAPTURES
  auto* stream = streamOf(handle);
  if (!stream) return destroyed(call);
  stream->drain();
  return remember(call.deviceError());
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle,
                                  cudaStreamCallback_t callback, void* data,
                                  unsigned) {
  SIMULATED_CALL
  return enqueue(streamOf(handle),
                 [=] { callback(handle, cudaSuccess, data); });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function,
                               void* data) {
  SIMULATED_CALL
  return enqueue(streamOf(handle), [=] { function(data); });
}

cudaError_t cudaDeviceSynchronize() {
  SIMULATED_CALL_OUTSIDE_CAPTURES
  simulated::drainDevice(simulated::current_device);
  return remember(call.deviceError());
}

// Used by the simulated NCCL.
int simulated_cuda_enqueue(void* handle, const simulated::Work* work) {
  return enqueue(streamOf(static_cast<cudaStream_t>(handle)), *work);
}

int simulated_cuda_capturing(void* handle) {
  return simulated::captureOf(streamOf(static_cast<cudaStream_t>(handle))) !=
         nullptr;
}

// Makes each later piece of work on the stream take `us` longer.
void simulated_cuda_slow_stream(void* handle, int us) {
  if (auto* stream = streamOf(static_cast<cudaStream_t>(handle))) {
    stream->slowDown(us);
  }
}

}  // extern "C"
