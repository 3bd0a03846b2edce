// How torch gets at functions of the driver through the runtime.

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
  // Null would be an error that torch does not get over.
  *function = found ? found : reinterpret_cast<void*>(&unsupported);
  if (status) *status = cudaDriverEntryPointSuccess;
  return cudaSuccess;
}
