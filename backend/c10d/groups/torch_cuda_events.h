// DeviceEvents for a CUDA device as torch uses it.

#pragma once

#include <memory>

#include "recorder/device/device_events.h"

namespace traced {

// Returns nullptr if this process has no supported CUDA runtime.
std::unique_ptr<DeviceEvents> torchCudaEvents(int device) noexcept;

}  // namespace traced
