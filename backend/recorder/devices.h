// Devices holds the DeviceTimes of each device that the process uses, by device
// index. All of them record into the process's one trace.
//
// Thread safety: any thread. Only stop() blocks, and start() while events are
// created.

#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>

#include "recorder/device/aborted_communicators.h"
#include "recorder/device/device_events.h"
#include "recorder/device/device_times.h"
#include "recorder/device/untimed.h"
#include "ring_io/settings/options.h"

namespace traced {

class Recorder;

class Devices {
 public:
  // Device indices are c10's, which are 8 bits wide.
  static constexpr int kMax = 128;
  // How long process exit waits for the devices.
  static constexpr std::chrono::milliseconds kExitTimeout{500};

  // `resources_ns` is the interval between looks at the first device; 0: none.
  Devices(Recorder& recorder, DeviceTimeMode mode, std::int64_t resources_ns)
      : recorder_(recorder), mode_(mode), resources_ns_(resources_ns) {}

  // Returns the DeviceTimes of a device, or nullptr before start(). The result
  // is never destroyed.
  DeviceTimes* find(int device) const noexcept {
    return isIndex(device) ? times_[at(device)].load(std::memory_order_acquire)
                           : nullptr;
  }
  // Returns the DeviceTimes of a device, created if necessary. Returns nullptr
  // if creation fails, with a message on stderr if device times are enabled.
  // Call it once the device is in use.
  DeviceTimes* start(int device, std::unique_ptr<DeviceEvents> events) noexcept;

  // A group takes a communicator id when it is created. After aborting(), no
  // ends are recorded for its unfinished operations. Other communicators are
  // not affected.
  CommunicatorId newCommunicator() noexcept {
    return communicators_.fetch_add(1, std::memory_order_relaxed);
  }
  void aborting(CommunicatorId communicator) noexcept {
    aborted_.add(communicator);
  }
  bool wasAborted(CommunicatorId communicator) const noexcept {
    return aborted_.contains(communicator);
  }

  // Stops all of them within the timeout. start() creates no more afterwards.
  void stop(std::chrono::milliseconds timeout) noexcept;

  DeviceTimeMode mode() const { return mode_; }
  // Totals over all devices.
  const Untimed& untimed() const { return untimed_; }

 private:
  class Records;
  // Values recorded as marks. All devices share them: the error bound holds for
  // every device.
  struct Shared {
    std::mutex mutex;
    std::int64_t error_ns = 0;
    std::uint64_t untimed = 0;
  };

  static bool isIndex(int device) { return device >= 0 && device < kMax; }
  static std::size_t at(int device) { return static_cast<std::size_t>(device); }
  static void stopBeforeCudaEnds();
  void warnNoDeviceTimes(const char* why) noexcept;

  Recorder& recorder_;
  const DeviceTimeMode mode_;
  const std::int64_t resources_ns_;
  Untimed untimed_;
  Shared shared_;
  std::atomic<CommunicatorId> communicators_{0};
  AbortedCommunicators aborted_;
  std::atomic<bool> warned_none_{false};
  std::mutex starting_;
  bool stopped_ = false;  // guarded by starting_
  std::array<std::atomic<DeviceTimes*>, kMax> times_{};
};

}  // namespace traced
