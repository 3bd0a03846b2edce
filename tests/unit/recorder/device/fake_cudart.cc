// A fake CUDA runtime of version FAKE_CUDART, which all its functions return.

#define FAKE(function)                                       \
  extern "C" [[gnu::visibility("default")]] int function() { \
    return FAKE_CUDART;                                      \
  }

FAKE(cudaSetDevice)
FAKE(cudaGetLastError)
FAKE(cudaPeekAtLastError)
FAKE(cudaThreadExchangeStreamCaptureMode)
FAKE(cudaEventCreateWithFlags)
FAKE(cudaEventRecord)
FAKE(cudaEventQuery)
FAKE(cudaEventElapsedTime)
FAKE(cudaStreamCreateWithFlags)
FAKE(cudaDeviceGetPCIBusId)
FAKE(cudaHostRegister)
FAKE(cudaMemcpyAsync)
FAKE(cudaStreamGetCaptureInfo)
#if FAKE_CUDART < 13
FAKE(cudaStreamGetCaptureInfo_v2)
#endif
