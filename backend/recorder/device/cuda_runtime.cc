#include "recorder/device/cuda_runtime.h"

#include <dlfcn.h>

#include "ring_io/support/find_function.h"

namespace traced {
namespace {

bool fill(void* library, CudaRuntime& cuda) {
  const bool is_13 = !dlsym(library, "cudaStreamGetCaptureInfo_v2");
  cuda.captureInfo12 = nullptr;
  cuda.captureInfo13 = nullptr;
  return findFunction(library, "cudaSetDevice", cuda.setDevice) &&
         findFunction(library, "cudaGetLastError", cuda.getLastError) &&
         findFunction(library, "cudaPeekAtLastError", cuda.peekAtLastError) &&
         findFunction(library, "cudaThreadExchangeStreamCaptureMode",
                      cuda.exchangeCaptureMode) &&
         findFunction(library, "cudaEventCreateWithFlags", cuda.createEvent) &&
         findFunction(library, "cudaEventRecord", cuda.recordEvent) &&
         findFunction(library, "cudaEventQuery", cuda.queryEvent) &&
         findFunction(library, "cudaEventElapsedTime", cuda.elapsedTime) &&
         findFunction(library, "cudaStreamCreateWithFlags",
                      cuda.createStream) &&
         (is_13 ? findFunction(library, "cudaStreamGetCaptureInfo",
                               cuda.captureInfo13)
                : findFunction(library, "cudaStreamGetCaptureInfo_v2",
                               cuda.captureInfo12));
}

}  // namespace

std::optional<CudaRuntime> CudaRuntime::usedBy(const char* name) noexcept {
  // Only if it is loaded already; never unloaded again. What is looked up there
  // is found in the libraries that it was linked to, and in no others.
  void* library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  CudaRuntime cuda{};
  if (library && fill(library, cuda)) return cuda;
  return std::nullopt;
}

}  // namespace traced
