// CudaRuntime is the part of the CUDA runtime that device times need, found in
// the process. It must be the very runtime whose streams and events are asked
// about: a process may have loaded others.
//
// The types are CUDA's as far as a caller by address must know them;
// tests/unit/recorder/device/cuda_runtime_test.cc holds them against CUDA's
// headers.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "recorder/device/device_events.h"

namespace traced {

struct CudaRuntime {
  using Error = int;
  using Event = void*;
  using Stream = void*;

  static constexpr Error kSuccess = 0;
  static constexpr Error kNotReady = 600;
  static constexpr unsigned kEventDefault = 0;  // with timing
  static constexpr unsigned kStreamNonBlocking = 1;
  static constexpr int kCaptureActive = 1;
  static constexpr int kCaptureModeRelaxed = 2;

  Error (*setDevice)(int);
  Error (*getLastError)();
  Error (*peekAtLastError)();
  Error (*exchangeCaptureMode)(int*);
  Error (*createEvent)(Event*, unsigned);
  Error (*recordEvent)(Event, Stream);
  Error (*queryEvent)(Event);
  Error (*elapsedTime)(float*, Event, Event);
  Error (*createStream)(Stream*, unsigned);
  // One of the two: CUDA 13 added an argument.
  Error (*captureInfo12)(Stream, int*, unsigned long long*, void**,
                         const void**, std::size_t*);
  Error (*captureInfo13)(Stream, int*, unsigned long long*, void**,
                         const void**, const void**, std::size_t*);

  // The runtime that a library uses, by its name; nullopt if the process has
  // not loaded that library, or what it uses lacks a function.
  static std::optional<CudaRuntime> usedBy(const char* library) noexcept;
};

// CudaEvents is DeviceEvents of one CUDA device, but for the stream that the
// caller uses, which only torch can tell.
//
// What fails leaves no error behind in the calling thread: the next one to ask
// CUDA for its last error is torch.
class CudaEvents : public DeviceEvents {
 public:
  CudaEvents(const CudaRuntime& cuda, int device)
      : cuda_(cuda), device_(device) {}

  Capture capture(Stream stream) noexcept override;
  bool record(Event event, Stream stream) noexcept override;
  bool enterThread() noexcept override;
  Event create() noexcept override;
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
