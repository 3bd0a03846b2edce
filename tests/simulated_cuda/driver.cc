// Simulates the driver functions that torch requests in addition to the
// runtime.

#include <cuda_runtime_api.h>

namespace {

constexpr int kInvalidValue = 1;
constexpr int kNotSupported = 801;
constexpr int kMemoryType = 2;
constexpr int kDeviceOrdinal = 9;

thread_local void* current_context = nullptr;

}  // namespace

extern "C" {

int simulated_cuda_has_context(int device);

int cuInit(unsigned) { return 0; }

int cuDriverGetVersion(int* version) { return cudaDriverGetVersion(version); }

int cuDeviceGetCount(int* count) { return cudaGetDeviceCount(count); }

int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return 0;
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  return cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute),
                                device);
}

int cuCtxGetCurrent(void** context) {
  *context = current_context;
  return 0;
}

int cuCtxSetCurrent(void* context) {
  current_context = context;
  return 0;
}

int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
  *flags = 0;
  *active = simulated_cuda_has_context(device);
  return 0;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = reinterpret_cast<void*>(0x1000L + device);
  return 0;
}

int cuGetErrorString(int, const char** text) {
  *text = "an error of the simulated driver";
  return 0;
}

int cuGetErrorName(int, const char** text) {
  *text = "SIMULATED";
  return 0;
}

int cuPointerGetAttribute(void* out, int attribute, void* address) {
  cudaPointerAttributes found;
  cudaPointerGetAttributes(&found, address);
  if (found.type == cudaMemoryTypeUnregistered) return kInvalidValue;
  if (attribute == kDeviceOrdinal) {
    *static_cast<int*>(out) = found.device;
    return 0;
  }
  if (attribute == kMemoryType) {
    *static_cast<unsigned*>(out) = found.type;
    return 0;
  }
  return kNotSupported;
}

}  // extern "C"
