// The runtime's device functions.

#include <cstdio>
#include <cstring>
#include <string>

#include "runtime/calls.h"
#include "runtime/settings.h"
#include "runtime/streams.h"

using simulated::remember;

namespace {

int deviceCount() {
  return static_cast<int>(simulated::setting("SIMULATED_CUDA_DEVICES", 8));
}

bool isDevice(int device) { return device >= 0 && device < deviceCount(); }

void fillLimits(cudaDeviceProp& p) {
  p.sharedMemPerBlock = 48 << 10;
  p.sharedMemPerBlockOptin = p.sharedMemPerMultiprocessor = 227 << 10;
  p.regsPerBlock = p.regsPerMultiprocessor = 65536;
  p.warpSize = 32;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 2147483647;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.maxThreadsPerMultiProcessor = 2048;
  p.maxBlocksPerMultiProcessor = 32;
}

int attribute(cudaDeviceAttr which, const cudaDeviceProp& p) {
  switch (which) {
    case cudaDevAttrMaxThreadsPerBlock:
      return p.maxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
      return p.maxThreadsDim[0];
    case cudaDevAttrMaxBlockDimZ:
      return p.maxThreadsDim[2];
    case cudaDevAttrMaxGridDimX:
      return p.maxGridSize[0];
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      return p.maxGridSize[1];
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return static_cast<int>(p.sharedMemPerBlock);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(p.sharedMemPerBlockOptin);
    case cudaDevAttrWarpSize:
      return p.warpSize;
    case cudaDevAttrMultiProcessorCount:
      return p.multiProcessorCount;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return p.maxThreadsPerMultiProcessor;
    case cudaDevAttrComputeCapabilityMajor:
      return p.major;
    case cudaDevAttrComputeCapabilityMinor:
      return p.minor;
    case cudaDevAttrUnifiedAddressing:
      return p.unifiedAddressing;
    case cudaDevAttrPciBusId:
      return p.pciBusID;
    default:
      return 0;
  }
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  SIMULATED_CALL_WITHOUT_CONTEXT
  *count = deviceCount();
  return *count ? cudaSuccess : remember(cudaErrorNoDevice);
}

cudaError_t cudaGetDevice(int* device) {
  SIMULATED_CALL_WITHOUT_CONTEXT
  *device = simulated::current_device;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  SIMULATED_CALL_WITHOUT_CONTEXT
  if (!isDevice(device)) return remember(cudaErrorInvalidDevice);
  simulated::current_device = device;
  call.needContext();  // since CUDA 12
  return cudaSuccess;
}

// Makes the calling thread one that never chose a device.
void simulated_cuda_forget_device() { simulated::current_device = 0; }

cudaError_t cudaDriverGetVersion(int* version) {
  SIMULATED_CALL_WITHOUT_CONTEXT
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return cudaDriverGetVersion(version);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  SIMULATED_CALL_WITHOUT_CONTEXT
  if (!isDevice(device)) return remember(cudaErrorInvalidDevice);
  *p = {};
  std::strcpy(p->name, "Simulated GPU");
  std::memcpy(p->uuid.bytes, "simulated-gpu-", 14);
  p->uuid.bytes[15] = static_cast<char>(device);
  p->totalGlobalMem =
      static_cast<size_t>(simulated::setting("SIMULATED_CUDA_MEMORY_MB", 1024))
      << 20;
  fillLimits(*p);
  p->totalConstMem = 65536;
  p->major = 9;
  p->textureAlignment = 512;
  p->multiProcessorCount = 132;
  p->canMapHostMemory = p->concurrentKernels = p->unifiedAddressing = 1;
  p->memoryBusWidth = 5120;
  p->l2CacheSize = 50 << 20;
  p->streamPrioritiesSupported = 1;
  p->pciBusID = device + 1;
  p->asyncEngineCount = 3;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which,
                                   int device) {
  cudaDeviceProp properties;
  if (const auto e = cudaGetDeviceProperties(&properties, device)) return e;
  *value = attribute(which, properties);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  SIMULATED_CALL_WITHOUT_CONTEXT
  std::snprintf(id, static_cast<size_t>(length), "0000:%02x:00.0", device + 1);
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  SIMULATED_CALL_WITHOUT_CONTEXT
  *can = 1;
  return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  SIMULATED_CALL
  return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  SIMULATED_CALL
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return cudaSuccess;
}

cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

}  // extern "C"
