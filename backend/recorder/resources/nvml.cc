#include "recorder/resources/nvml.h"

#include <dlfcn.h>

#include "ring_io/support/find_function.h"

namespace traced {
namespace {

// Newer drivers have a new name for the same function.
bool findReasons(void* library, Nvml& nvml) {
  return findFunction(library, "nvmlDeviceGetCurrentClocksEventReasons",
                      nvml.throttleReasons) ||
         findFunction(library, "nvmlDeviceGetCurrentClocksThrottleReasons",
                      nvml.throttleReasons);
}

bool fillFrom(void* library, Nvml& nvml) {
  return findFunction(library, "nvmlInit_v2", nvml.init) &&
         findFunction(library, "nvmlDeviceGetHandleByPciBusId_v2",
                      nvml.deviceByBusId) &&
         findFunction(library, "nvmlDeviceGetClockInfo", nvml.clock) &&
         findFunction(library, "nvmlDeviceGetMaxClockInfo", nvml.maxClock) &&
         findReasons(library, nvml) &&
         findFunction(library, "nvmlDeviceGetTemperature", nvml.temperature) &&
         findFunction(library, "nvmlDeviceGetTotalEccErrors", nvml.eccErrors) &&
         findFunction(library, "nvmlEventSetCreate", nvml.createEventSet) &&
         findFunction(library, "nvmlDeviceRegisterEvents",
                      nvml.registerEvents) &&
         findFunction(library, "nvmlEventSetWait_v2", nvml.awaitEvent);
}

}  // namespace

std::unique_ptr<const Nvml> Nvml::load() {
  void* const library = dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);
  auto nvml = std::make_unique<Nvml>();
  if (!library || !fillFrom(library, *nvml)) return nullptr;
  return nvml;
}

}  // namespace traced
