#include "c10d/groups/torch_cuda_events.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include "recorder/device/cuda_events.h"

namespace traced {
namespace {

using Guard = c10::impl::VirtualGuardImpl;

// torch's streams and events belong to the CUDA runtime that this library uses.
constexpr const char* kTorchCuda = "libc10_cuda.so";

// OnDevice makes a device the calling thread's current one while it exists.
//
// Some CUDA calls create a context on the current device, whatever stream they
// are about. A context takes hundreds of MB. A thread that never chose a device
// is on the first, which belongs to another rank. Also, a default stream has
// the same handle on every device and means the current device's.
class OnDevice {
 public:
  OnDevice(const Guard& guard, c10::Device here)
      : guard_(guard), before_(guard.getDevice()), moved_(before_ != here) {
    if (moved_) guard_.setDevice(here);
  }
  ~OnDevice() {
    if (moved_) guard_.uncheckedSetDevice(before_);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  const Guard& guard_;
  const c10::Device before_;
  const bool moved_;
};

class TorchCudaEvents : public CudaEvents {
 public:
  TorchCudaEvents(const CudaRuntime& cuda, int device)
      : CudaEvents(cuda, device),
        here_(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(device)) {}

  // Uses torch's device guard table, so that this library need not link torch's
  // CUDA libraries.
  std::optional<Stream> currentStream() noexcept override {
    try {
      return guard_.getStreamNativeHandle(guard_.getStream(here_));
    } catch (...) {
      return std::nullopt;
    }
  }
  Capture capture(Stream stream) noexcept override {
    try {
      const OnDevice on_device(guard_, here_);
      return CudaEvents::capture(stream);
    } catch (...) {
      return {Capture::Status::kUnknown, 0};
    }
  }
  bool record(Event event, Stream stream) noexcept override {
    try {
      const OnDevice on_device(guard_, here_);
      return CudaEvents::record(event, stream);
    } catch (...) {
      return false;
    }
  }
  bool copyToHost(char* to, const void* from, std::size_t bytes,
                  Stream stream) noexcept override {
    try {
      const OnDevice on_device(guard_, here_);
      return CudaEvents::copyToHost(to, from, bytes, stream);
    } catch (...) {
      return false;
    }
  }

 private:
  const Guard guard_{c10::DeviceType::CUDA};
  const c10::Device here_;
};

}  // namespace

std::unique_ptr<DeviceEvents> torchCudaEvents(int device) noexcept {
  try {
    const auto cuda = CudaRuntime::usedBy(kTorchCuda);
    if (!cuda || !c10::impl::hasDeviceGuardImpl(c10::DeviceType::CUDA)) {
      return nullptr;
    }
    return std::make_unique<TorchCudaEvents>(*cuda, device);
  } catch (...) {  // no memory
    return nullptr;
  }
}

}  // namespace traced
