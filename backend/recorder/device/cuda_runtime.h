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

}  // namespace traced
