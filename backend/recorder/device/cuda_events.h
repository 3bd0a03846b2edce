// CudaRuntime holds the CUDA runtime functions that the recorder needs. They
// must belong to the runtime that created the streams and events, because a
// process may load several.
//
// The types match CUDA's as far as a caller by address needs them.
// tests/unit/recorder/device/cuda_runtime_test.cc compares them with CUDA's
// headers.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "recorder/device/device_events.h"

namespace traced {

struct CudaRuntime {
  using Error = int;
  using Event = void*;
  using Stream = void*;

  static constexpr Error kSuccess = 0;
  static constexpr Error kNotReady = 600;
  static constexpr unsigned kEventDefault = 0;  // timing enabled
  static constexpr unsigned kStreamNonBlocking = 1;
  static constexpr int kCaptureActive = 1;
  static constexpr int kCaptureModeRelaxed = 2;
  static constexpr unsigned kHostRegisterDefault = 0;
  static constexpr int kByAddress = 4;

  Error (*setDevice)(int);
  Error (*getLastError)();
  Error (*peekAtLastError)();
  Error (*exchangeCaptureMode)(int*);
  Error (*createEvent)(Event*, unsigned);
  Error (*recordEvent)(Event, Stream);
  Error (*queryEvent)(Event);
  Error (*elapsedTime)(float*, Event, Event);
  Error (*createStream)(Stream*, unsigned);
  Error (*busId)(char*, int, int);
  Error (*registerHost)(void*, std::size_t, unsigned);
  Error (*copyAsync)(void*, const void*, std::size_t, int, Stream);
  // Exactly one is set: CUDA 13 added an argument.
  Error (*captureInfo12)(Stream, int*, unsigned long long*, void**,
                         const void**, std::size_t*);
  Error (*captureInfo13)(Stream, int*, unsigned long long*, void**,
                         const void**, const void**, std::size_t*);

  // Returns the runtime that a library uses. `library` is its name. Returns
  // nullopt if the process has not loaded the library, or if its runtime lacks
  // a function.
  static std::optional<CudaRuntime> usedBy(const char* library) noexcept;
};

// CudaEvents implements DeviceEvents for one CUDA device, except
// currentStream(), which only torch can answer.
//
// A failure leaves no CUDA error behind in the calling thread. Otherwise torch
// would find it in its next check of the last error.
class CudaEvents : public DeviceEvents {
 public:
  CudaEvents(const CudaRuntime& cuda, int device)
      : cuda_(cuda), device_(device) {}

  Capture capture(Stream stream) noexcept override;
  bool record(Event event, Stream stream) noexcept override;
  bool copyToHost(char* to, const void* from, std::size_t bytes,
                  Stream stream) noexcept override;
  std::string busId() noexcept override;
  bool enterThread() noexcept override;
  Event create() noexcept override;
  char* allocateHost(std::size_t bytes) noexcept override;
  std::optional<Stream> ownStream() noexcept override;
  State query(Event event) noexcept override;
  std::optional<std::int64_t> elapsedNs(Event from, Event to) noexcept override;

 protected:
  int device() const { return device_; }

 private:
  bool succeeded(CudaRuntime::Error error) noexcept;

  const CudaRuntime cuda_;
  const int device_;
};

}  // namespace traced
