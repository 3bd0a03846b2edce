#include "c10d/torch_cuda_events.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include "recorder/cuda_events.h"

namespace traced {
namespace {

class TorchCudaEvents : public CudaEvents {
 public:
  using CudaEvents::CudaEvents;

  // torch's table of what a device type can do spares us its CUDA libraries.
  std::optional<Stream> currentStream() noexcept override {
    try {
      const c10::Device here(c10::DeviceType::CUDA,
                             static_cast<c10::DeviceIndex>(device()));
      return guard_.getStreamNativeHandle(guard_.getStream(here));
    } catch (...) {
      return std::nullopt;
    }
  }

 private:
  const c10::impl::VirtualGuardImpl guard_{c10::DeviceType::CUDA};
};

}  // namespace

std::unique_ptr<DeviceEvents> torchCudaEvents(int device) noexcept {
  try {
    const auto cuda = CudaRuntime::find();
    if (!cuda || !c10::impl::hasDeviceGuardImpl(c10::DeviceType::CUDA)) {
      return nullptr;
    }
    return std::make_unique<TorchCudaEvents>(*cuda, device);
  } catch (...) {  // no memory
    return nullptr;
  }
}

}  // namespace traced
