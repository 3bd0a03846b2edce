// The CUDA events of a device, as torch uses it.

#pragma once

#include <memory>

#include "recorder/device/device_events.h"

namespace traced {

// nullptr if this process has no CUDA, or one that is not understood.
std::unique_ptr<DeviceEvents> torchCudaEvents(int device) noexcept;

}  // namespace traced
