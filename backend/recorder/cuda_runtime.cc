#include "recorder/cuda_runtime.h"

#include <dlfcn.h>

#include "recorder/find_function.h"

namespace traced {
namespace {

constexpr const char* kLibraries[] = {"libcudart.so.13", "libcudart.so.12"};

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

std::optional<CudaRuntime> CudaRuntime::find() noexcept {
  for (const char* name : kLibraries) {
    // Only if it is loaded already; never unloaded again.
    void* library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    CudaRuntime cuda{};
    if (library && fill(library, cuda)) return cuda;
  }
  return std::nullopt;
}

}  // namespace traced
