// CudaEvents is DeviceEvents of one CUDA device, but for the stream that the
// caller uses, which only torch can tell.
//
// What fails leaves no error behind in the calling thread: the next one to ask
// CUDA for its last error is torch.

#pragma once

#include "recorder/device/cuda_runtime.h"
#include "recorder/device/device_events.h"

namespace traced {

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
