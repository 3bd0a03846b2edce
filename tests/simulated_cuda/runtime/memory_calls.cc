// The runtime's functions that allocate, free, copy and fill memory.

#include <cstring>
#include <memory>
#include <string>

#include "runtime/calls.h"
#include "runtime/captures.h"
#include "runtime/memory.h"
#include "runtime/streams.h"

using simulated::Call;
using simulated::enqueue;
using simulated::Place;
using simulated::placeOf;
using simulated::remember;
using simulated::streamOf;

namespace {

cudaError_t give(void** out, size_t size, Place place) {
  *out = simulated::allocate(size, place);
  return *out ? cudaSuccess : remember(cudaErrorMemoryAllocation);
}

cudaError_t take(const Call& call, void* address) {
  if (!address || simulated::release(address)) return cudaSuccess;
  return call.refuse(cudaErrorInvalidValue, "memory that is not allocated");
}

// Like CUDA: a copy from pageable memory is staged, and a copy to pageable
// memory blocks until it is done.
cudaError_t copy(const Call& call, void* to, const void* from, size_t size,
                 cudaStream_t handle) {
  if (!size) return cudaSuccess;
  if (placeOf(to) == Place::kFreed || placeOf(from) == Place::kFreed) {
    return call.refuse(cudaErrorInvalidValue, "memory that was freed");
  }
  auto* stream = streamOf(handle);
  if (placeOf(from) == Place::kPageable) {
    const auto staged =
        std::make_shared<std::string>(static_cast<const char*>(from), size);
    return enqueue(stream, [=] { std::memcpy(to, staged->data(), size); });
  }
  if (const auto error =
          enqueue(stream, [=] { std::memcpy(to, from, size); })) {
    return error;
  }
  if (placeOf(to) == Place::kPageable && !simulated::captureOf(stream)) {
    stream->drain();
  }
  return remember(call.deviceError());
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** out, size_t size) {
  SIMULATED_CALL_OUTSIDE_CAPTURES
  return give(out, size, Place::kDevice);
}

cudaError_t cudaMallocAsync(void** out, size_t size, cudaStream_t) {
  SIMULATED_CALL
  return give(out, size, Place::kDevice);
}

cudaError_t cudaMallocManaged(void** out, size_t size, unsigned) {
  SIMULATED_CALL_OUTSIDE_CAPTURES
  return give(out, size, Place::kDevice);
}

cudaError_t cudaMallocHost(void** out, size_t size) {
  SIMULATED_CALL_OUTSIDE_CAPTURES
  return give(out, size, Place::kPinned);
}

cudaError_t cudaHostAlloc(void** out, size_t size, unsigned) {
  return cudaMallocHost(out, size);
}

cudaError_t cudaFree(void* address) {
  SIMULATED_CALL_OUTSIDE_CAPTURES
  if (address) simulated::drainDevice(simulated::current_device);
  return take(call, address);
}

cudaError_t cudaFreeHost(void* address) {
  SIMULATED_CALL
  return take(call, address);
}

cudaError_t cudaHostUnregister(void* address) {
  SIMULATED_CALL
  return take(call, address);
}

cudaError_t cudaFreeAsync(void* address, cudaStream_t stream) {
  SIMULATED_CALL
  return enqueue(streamOf(stream), [address] { simulated::release(address); });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size,
                            cudaMemcpyKind, cudaStream_t stream) {
  SIMULATED_CALL
  return copy(call, to, from, size, stream);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int,
                                size_t size, cudaStream_t stream) {
  SIMULATED_CALL
  return copy(call, to, from, size, stream);
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t size,
                       cudaMemcpyKind) {
  SIMULATED_CALL_OUTSIDE_CAPTURES
  if (const auto error = copy(call, to, from, size, nullptr)) return error;
  streamOf(nullptr)->drain();
  return cudaSuccess;
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from,
                              size_t from_pitch, size_t width, size_t height,
                              cudaMemcpyKind, cudaStream_t stream) {
  SIMULATED_CALL
  for (size_t row = 0; row < height; ++row) {
    const auto error =
        copy(call, static_cast<char*>(to) + row * to_pitch,
             static_cast<const char*>(from) + row * from_pitch, width, stream);
    if (error) return error;
  }
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t size,
                            cudaStream_t stream) {
  SIMULATED_CALL
  if (placeOf(to) == Place::kFreed) {
    return call.refuse(cudaErrorInvalidValue, "memory that was freed");
  }
  return enqueue(streamOf(stream), [=] { std::memset(to, value, size); });
}

cudaError_t cudaMemset(void* to, int value, size_t size) {
  return cudaMemsetAsync(to, value, size, nullptr);
}

}  // extern "C"
