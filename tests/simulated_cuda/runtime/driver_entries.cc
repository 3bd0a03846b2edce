// The way in which torch gets driver functions through the runtime.

#include <dlfcn.h>

#include <string>

#include "runtime/calls.h"

namespace {

int unsupported() { return 801; }  // CUDA_ERROR_NOT_SUPPORTED

}  // namespace

extern "C" cudaError_t cudaGetDriverEntryPointByVersion(
    const char* name, void** function, unsigned, unsigned long long,
    cudaDriverEntryPointQueryResult* status) {
  static void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  void* found = driver ? dlsym(driver, name) : nullptr;
  // torch cannot handle a null pointer here.
  *function = found ? found : reinterpret_cast<void*>(&unsupported);
  if (status) *status = cudaDriverEntryPointSuccess;
  return cudaSuccess;
}
