#include "recorder/device/cuda_events.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <cmath>

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
         findFunction(library, "cudaDeviceGetPCIBusId", cuda.busId) &&
         findFunction(library, "cudaHostRegister", cuda.registerHost) &&
         findFunction(library, "cudaMemcpyAsync", cuda.copyAsync) &&
         (is_13 ? findFunction(library, "cudaStreamGetCaptureInfo",
                               cuda.captureInfo13)
                : findFunction(library, "cudaStreamGetCaptureInfo_v2",
                               cuda.captureInfo12));
}

}  // namespace

std::optional<CudaRuntime> CudaRuntime::usedBy(const char* name) noexcept {
  // Only if it is already loaded. The handle is never closed. Symbols are found
  // in the libraries that it links, and in no others.
  void* library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  CudaRuntime cuda{};
  if (library && fill(library, cuda)) return cuda;
  return std::nullopt;
}

// Clears the error that this call left. A different one existed before.
bool CudaEvents::succeeded(CudaRuntime::Error error) noexcept {
  if (error == CudaRuntime::kSuccess) return true;
  if (cuda_.peekAtLastError() == error) cuda_.getLastError();
  return false;
}

DeviceEvents::Capture CudaEvents::capture(Stream stream) noexcept {
  int status = 0;
  unsigned long long graph = 0;
  const CudaRuntime::Error error =
      cuda_.captureInfo13
          ? cuda_.captureInfo13(stream, &status, &graph, nullptr, nullptr,
                                nullptr, nullptr)
          : cuda_.captureInfo12(stream, &status, &graph, nullptr, nullptr,
                                nullptr);
  // The legacy stream cannot be queried while another stream is captured.
  if (!succeeded(error)) return {Capture::Status::kUnknown, 0};
  if (status == 0) return {};
  return status == CudaRuntime::kCaptureActive
             ? Capture{Capture::Status::kActive, graph}
             : Capture{Capture::Status::kUnknown, 0};
}

bool CudaEvents::record(Event event, Stream stream) noexcept {
  return succeeded(cuda_.recordEvent(event, stream));
}

bool CudaEvents::copyToHost(char* to, const void* from, std::size_t bytes,
                            Stream stream) noexcept {
  return succeeded(
      cuda_.copyAsync(to, from, bytes, CudaRuntime::kByAddress, stream));
}

std::string CudaEvents::busId() noexcept {
  char id[32] = {};
  return succeeded(cuda_.busId(id, sizeof id - 1, device_)) ? id : "";
}

bool CudaEvents::enterThread() noexcept {
  // Sets the device first. A new thread is on device 0, and even setting the
  // mode there may create a context, which takes hundreds of MB per rank.
  int mode = CudaRuntime::kCaptureModeRelaxed;
  return succeeded(cuda_.setDevice(device_)) &&
         succeeded(cuda_.exchangeCaptureMode(&mode));
}

DeviceEvents::Event CudaEvents::create() noexcept {
  Event event = nullptr;
  return succeeded(cuda_.createEvent(&event, CudaRuntime::kEventDefault))
             ? event
             : nullptr;
}

// Registers other memory, because CUDA frees its own at exit while a thread may
// still read it. A forked child does not inherit it: the device keeps writing
// to the parent's pages.
char* CudaEvents::allocateHost(std::size_t bytes) noexcept {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  if (madvise(memory, bytes, MADV_DONTFORK) == 0 &&
      succeeded(cuda_.registerHost(memory, bytes,
                                   CudaRuntime::kHostRegisterDefault))) {
    return static_cast<char*>(memory);
  }
  munmap(memory, bytes);
  return nullptr;
}

std::optional<DeviceEvents::Stream> CudaEvents::ownStream() noexcept {
  Stream stream = nullptr;
  if (!succeeded(
          cuda_.createStream(&stream, CudaRuntime::kStreamNonBlocking))) {
    return std::nullopt;
  }
  return stream;
}

DeviceEvents::State CudaEvents::query(Event event) noexcept {
  const CudaRuntime::Error error = cuda_.queryEvent(event);
  if (succeeded(error)) return State::kReached;
  return error == CudaRuntime::kNotReady ? State::kPending : State::kFailed;
}

std::optional<std::int64_t> CudaEvents::elapsedNs(Event from,
                                                  Event to) noexcept {
  float ms = 0;
  if (!succeeded(cuda_.elapsedTime(&ms, from, to))) return std::nullopt;
  return std::llround(static_cast<double>(ms) * 1e6);
}

}  // namespace traced
