// Registration and launch of kernels from compiled code.

#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/calls.h"
#include "runtime/kernels.h"
#include "runtime/settings.h"
#include "runtime/streams.h"

namespace {

struct Configuration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
};

std::mutex& mutex = *new std::mutex;
auto& names = *new std::unordered_map<const void*, const char*>;
thread_local std::vector<Configuration> configurations;

const char* nameOf(const void* function) {
  const std::lock_guard lock(mutex);
  const auto it = names.find(function);
  return it == names.end() ? "" : it->second;
}

cudaError_t launch(const simulated::Call& call, const void* function,
                   void** args, cudaStream_t handle) {
  auto* stream = simulated::streamOf(handle);
  if (stream && stream->device != simulated::current_device) {
    return call.refuse(cudaErrorInvalidResourceHandle,
                       "a stream of another device");
  }
  auto work = simulated::knownKernel(nameOf(function), args);
  const double us = simulated::setting("SIMULATED_CUDA_KERNEL_US", 0);
  return simulated::enqueue(stream, [us, work = std::move(work)] {
    simulated::sleepUs(us);
    if (work) work();
  });
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void*) {
  static void* handle;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int,
                       int) {}
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, size_t,
                              int, int) {}

void __cudaRegisterFunction(void**, const char* host, char*, const char* name,
                            int, void*, void*, void*, void*, int*) {
  const std::lock_guard lock(mutex);
  names[host] = name;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                     void* stream) {
  configurations.push_back(
      {grid, block, shared, static_cast<cudaStream_t>(stream)});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared,
                                       void* stream) {
  const Configuration top = configurations.back();
  configurations.pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3, dim3, void** args,
                               size_t, cudaStream_t stream) {
  SIMULATED_CALL
  return launch(call, kernel, args, stream);
}

cudaError_t cudaLaunchKernel(const void* function, dim3, dim3, void** args,
                             size_t, cudaStream_t stream) {
  SIMULATED_CALL
  return launch(call, function, args, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config,
                                const void* function, void** args) {
  SIMULATED_CALL
  return launch(call, function, args, config->stream);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* out, const void*) {
  SIMULATED_CALL
  *out = {};
  out->maxThreadsPerBlock = 1024;
  out->numRegs = 32;
  out->binaryVersion = out->ptxVersion = 90;
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) {
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks,
                                                          const void*, int,
                                                          size_t) {
  *blocks = 2;
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                   const void*,
                                                                   int, size_t,
                                                                   unsigned) {
  *blocks = 2;
  return cudaSuccess;
}

}  // extern "C"
