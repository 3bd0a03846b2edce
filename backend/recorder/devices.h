// Devices holds the DeviceTimes and the DeviceCopies of each device that the
// process uses, by device index. All of them record into the process's one
// trace.
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
#include "recorder/device/device_copies.h"
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

  // Uses the device time mode, the sampling interval of the first device and
  // the memory for copies.
  Devices(Recorder& recorder, const Options& options)
      : recorder_(recorder),
        mode_(options.device_time),
        resources_ns_(options.resources_ns),
        copied_bytes_(options.values.any() ? options.values.copied_bytes : 0) {}

  // Returns the DeviceTimes of a device, or nullptr before start(). The result
  // is never destroyed.
  DeviceTimes* find(int device) const noexcept {
    return isIndex(device) ? times_[at(device)].load(std::memory_order_acquire)
                           : nullptr;
  }
  // Returns the DeviceCopies of a device, or nullptr if nothing is examined, if
  // there is no memory for them, and before start(). The result is never
  // destroyed.
  DeviceCopies* copies(int device) const noexcept {
    return isIndex(device) ? copies_[at(device)].load(std::memory_order_acquire)
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
  void startCopies(int device, DeviceTimes& times) noexcept;
  void warnNoDeviceTimes(const char* why) noexcept;

  Recorder& recorder_;
  const DeviceTimeMode mode_;
  const std::int64_t resources_ns_;
  const std::uint64_t copied_bytes_;  // per device; 0: nothing is copied
  Untimed untimed_;
  Shared shared_;
  std::atomic<CommunicatorId> communicators_{0};
  AbortedCommunicators aborted_;
  std::atomic<bool> warned_none_{false};
  std::mutex starting_;
  bool stopped_ = false;  // guarded by starting_
  std::array<std::atomic<DeviceTimes*>, kMax> times_{};
  std::array<std::atomic<DeviceCopies*>, kMax> copies_{};
};

}  // namespace traced
