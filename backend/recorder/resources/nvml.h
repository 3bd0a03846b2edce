// Nvml holds the functions of NVIDIA's management library that samples need.
// The driver brings the library, so it is loaded at run time.
//
// The types match those of nvml.h as far as a caller by address needs them.

#pragma once

#include <memory>

namespace traced {

struct Nvml {
  using Return = int;
  using Device = void*;
  using EventSet = void*;
  struct EventData {
    Device device;
    unsigned long long type;
    unsigned long long data;  // of a critical XID error: its number
    unsigned gpu_instance;
    unsigned compute_instance;
  };

  static constexpr Return kSuccess = 0;
  static constexpr int kSmClock = 1;
  static constexpr int kMemoryClock = 2;
  static constexpr int kGpuTemperature = 0;
  static constexpr int kUncorrected = 1;
  static constexpr int kSinceDriverLoad = 0;
  static constexpr unsigned long long kCriticalXid = 8;

  Return (*init)();
  Return (*deviceByBusId)(const char*, Device*);
  Return (*clock)(Device, int, unsigned*);
  Return (*maxClock)(Device, int, unsigned*);
  Return (*throttleReasons)(Device, unsigned long long*);
  Return (*temperature)(Device, int, unsigned*);
  Return (*eccErrors)(Device, int, int, unsigned long long*);
  Return (*createEventSet)(EventSet*);
  Return (*registerEvents)(Device, unsigned long long, EventSet);
  Return (*awaitEvent)(EventSet, EventData*, unsigned);

  // Loads the library. Returns null if there is none, or if it lacks a
  // function. Call init() before other functions. The library is never
  // unloaded.
  static std::unique_ptr<const Nvml> load();
};

}  // namespace traced
